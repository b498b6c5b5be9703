"""TLS: the certificate that the server shows, made here or read from files.

What is made is signed by nobody else, so clients know it by its fingerprint, the SHA-256 of its DER
in hexadecimal digits. It is made once and kept, so that the fingerprint stays over restarts. Key and
certificate are one file, so that no crash leaves one of a pair.
"""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import os
import socket
import ssl
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import platformdirs
from attrs import define, field, frozen

from .listening import reachable_addresses

if TYPE_CHECKING:
    from cryptography import x509

    from .config import Config, TlsSettings

__all__ = ["Tls", "TlsError", "check_modes", "open_tls"]

FILE: Final = "tls/certificate.pem"  # in the data folder; the key is in it too
YEARS: Final = 20
# A machine without a battery clock may be at any date when it makes its certificate.
SINCE: Final = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


class TlsError(Exception):
    """The certificate cannot be used; the text says why, in a line."""


@frozen
class _Shown:
    """A certificate that fits its key: its fingerprint, and whether it is signed by itself."""

    fingerprint: str
    is_own: bool


@define(eq=False)
class Tls:
    """The certificate that new connections are shown, and what clients are told of it.

    Connections that are open keep theirs over a `reload`.
    """

    _cert: Path
    _key: Path
    _is_auto: bool
    context: ssl.SSLContext = field(init=False)
    _shown: _Shown = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.context, self._shown = self._read()

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate's DER: 64 hexadecimal digits."""
        return self._shown.fingerprint

    @property
    def pin(self) -> str:
        """What a link tells clients to insist on: the fingerprint of a self-signed certificate.

        "" if an authority signed it: clients can check that, and it is renewed every few weeks.
        """
        return self._shown.fingerprint if self._shown.is_own else ""

    def reload(self) -> None:
        """Show new connections the certificate that the files hold now.

        Raises:
            TlsError: It cannot be used; the old one is shown on.
        """
        _, shown = self._read()  # in a context of its own first: half a pair must not stay here
        _load(self.context, self._cert, self._key)
        self._shown = shown

    def _read(self) -> tuple[ssl.SSLContext, _Shown]:
        if self._is_auto:
            _keep(self._cert)
        shown = _check(self._cert)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        _load(context, self._cert, self._key)
        return context, shown


def open_tls(config: Config) -> Tls | None:
    """Return the certificate of the settings, None without TLS.

    Raises:
        TlsError: It cannot be used.
    """
    tls = config.tls
    check_modes(tls)
    match tls.mode:
        case "auto":
            file = _home(config.data.dir) / FILE
            return Tls(file, file, True)
        case "files":
            return Tls(Path(tls.cert), Path(tls.key or tls.cert), False)
        case _:
            return None


def check_modes(tls: TlsSettings) -> None:
    """See that the settings fit together.

    Raises:
        TlsError: They do not.
    """
    if tls.mode != "files" and (tls.cert or tls.key):
        raise TlsError(f'tls.mode: "files" is wanted for tls.cert and tls.key, got "{tls.mode}"')
    if tls.mode == "files" and not tls.cert:
        raise TlsError('tls.cert: name the file of the certificate, for mode = "files"')


def _home(data: str) -> Path:
    home = data or os.environ.get("KAGURADEN_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir("kaguraden", appauthor=False))


# --- files in use --------------------------------------------------------------------------------


def _check(file: Path) -> _Shown:
    """Say of the first certificate of a file what it is; an expired one is of no use."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    try:
        cert = x509.load_pem_x509_certificate(file.read_bytes())
    except OSError as error:
        raise TlsError(f"tls.cert: {file}: {error.strerror or error}") from None
    except ValueError:
        raise TlsError(f"tls.cert: {file}: holds no certificate in PEM form") from None
    if cert.not_valid_after_utc < datetime.datetime.now(datetime.UTC):
        raise TlsError(f"tls.cert: {file}: expired on {cert.not_valid_after_utc:%Y-%m-%d}")
    der = cert.public_bytes(Encoding.DER)
    return _Shown(hashlib.sha256(der).hexdigest(), cert.issuer == cert.subject)


def _load(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    def no_passphrase() -> str:
        raise TlsError(f"tls.key: {key}: wants a passphrase; take one without")

    try:
        key.read_bytes()  # the library does not say which of the two files it means
        context.load_cert_chain(cert, key, no_passphrase)
    except ssl.SSLError as error:
        why = "holds no private key in PEM form"
        if error.reason == "KEY_VALUES_MISMATCH":
            why = f"does not belong to the certificate in {cert}"
        elif error.reason and error.reason.endswith("_TOO_SMALL"):  # EE_KEY, CA_KEY
            why = "is too short to be safe"
        raise TlsError(f"tls.key: {key}: {why}") from None
    except OSError as error:
        raise TlsError(f"tls.key: {key}: {error.strerror or error}") from None


# --- one of our own ------------------------------------------------------------------------------


def _keep(file: Path) -> None:
    """See that there is a key with a certificate; of several servers at once, one makes it."""
    if file.exists():
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(_make())
                out.flush()
                os.fsync(out.fileno())
            with suppress(FileExistsError):
                os.link(name, file)
        finally:
            os.unlink(name)
    except OSError as error:
        raise TlsError(f"tls.mode: cannot write {file}: {error.strerror or error}") from None


def _make() -> bytes:
    """Return a new key and certificate, in PEM form."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Kaguraden")])
    now = max(SINCE, datetime.datetime.now(datetime.UTC))
    cert = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(SINCE)
        .not_valid_after(now + datetime.timedelta(days=365 * YEARS))
        .add_extension(x509.SubjectAlternativeName(_names()), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + cert.public_bytes(Encoding.PEM)


def _names() -> Iterable[x509.GeneralName]:
    """Return what the server may be called: this machine's names, and its addresses of now."""
    from cryptography import x509

    host = socket.gethostname().lower().rstrip(".")
    names = ("localhost", host, f"{host.partition('.')[0]}.local")
    found = [urlsplit(url).hostname or "" for url in reachable_addresses(("0.0.0.0", "::"), 0)]  # noqa: S104
    addresses = [ipaddress.ip_address(text) for text in ("127.0.0.1", "::1", *found)]
    return [
        *(x509.DNSName(name) for name in dict.fromkeys(names) if name and name.isascii()),
        *(x509.IPAddress(address) for address in dict.fromkeys(addresses)),
    ]
