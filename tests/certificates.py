"""Certificates for tests: signed by themselves, or by an authority that is made along."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import ssl
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

NOW = datetime.datetime.now(datetime.UTC)


@frozen
class Made:
    """A certificate for 127.0.0.1 in files."""

    cert: Path
    key: Path
    x509: x509.Certificate
    secret: ec.EllipticCurvePrivateKey

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.x509.public_bytes(Encoding.DER)).hexdigest()

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.cert, self.key)
        return context


def make(
    folder: Path,
    name: str = "hall",
    *,
    days: float = 30,
    by: Made | None = None,
    authority: bool = False,
    passphrase: bytes | None = None,
) -> Made:
    """Make a certificate that ends in so many days, signed by itself or by an authority."""
    secret = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issuer = subject if by is None else by.x509.subject
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=60))
        .not_valid_after(NOW + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .sign(secret if by is None else by.secret, hashes.SHA256())
    )
    sealed = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    cert.write_bytes(made.public_bytes(Encoding.PEM))
    key.write_bytes(secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed))
    return Made(cert, key, made, secret)
