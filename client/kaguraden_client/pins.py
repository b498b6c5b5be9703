"""Which certificate a client accepts: the one that is pinned, or one that an authority vouches for.

A pin is the SHA-256 of the certificate's DER, 64 hexadecimal digits. It is compared at the end of
the TLS handshake, before anything is sent: no token reaches a server that is not the one.
"""

from __future__ import annotations

import hashlib
import ssl
from typing import Final

__all__ = ["NO_PIN_FITS", "CertificateRefused", "check_pin", "tls_context"]

NO_PIN_FITS: Final = ""  # as a pin: refuse, and thereby learn which certificate there is


class CertificateRefused(ssl.SSLError):
    """The server's certificate is not accepted.

    Attributes:
        shown: The fingerprint of what the server shows.
        wanted: The pin; None if there was none, and no authority vouches for the certificate.
        is_own: Whether the certificate is signed by nobody but itself, where that is known.
        why: What the check of the authority found.
    """

    def __init__(
        self, shown: str, wanted: str | None, *, is_own: bool = False, why: str = ""
    ) -> None:
        super().__init__(1, f"the certificate {shown} is not accepted")
        self.shown = shown
        self.wanted = wanted
        self.is_own = is_own
        self.why = why

    def unpinned(self, error: ssl.SSLCertVerificationError) -> CertificateRefused:
        """Return this refusal for the reason that the check of the authority gave."""
        own = error.verify_code == SELF_SIGNED
        return CertificateRefused(self.shown, None, is_own=own, why=error.verify_message)


SELF_SIGNED: Final = 18  # X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT


def check_pin(url: str, pin: str | None) -> None:
    """See that a pin can be kept to.

    Raises:
        ValueError: The connection is not encrypted, so there is no certificate.
    """
    if pin is not None and not url.startswith("wss:"):
        raise ValueError(f"a pin is for wss, not for {url}")


def tls_context(pin: str | None) -> ssl.SSLContext:
    """Return the settings of a TLS connection.

    With a pin, anything but that certificate ends the handshake with `CertificateRefused`.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if pin is None:
        return context
    context.check_hostname = False  # the pin says who it is, by whatever name it is called
    context.verify_mode = ssl.CERT_NONE

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            shown = hashlib.sha256(self.getpeercert(binary_form=True) or b"").hexdigest()
            if shown != pin:
                raise CertificateRefused(shown, pin)

    context.sslobject_class = Pinned
    return context
