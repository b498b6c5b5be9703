"""What both shells share: their errors, their limits, and what a failed handshake means.

A shell keeps one WebSocket connection under a session, and makes it anew when it ends, until the
session stops or its owner closes it. Both shells have the same small interface:

    async with open_client(url, session) as client:
        result = await client.request(Create(id=0, game="odoriko"))
        async for event in client.events(): ...

`request` returns the result or raises `RequestFailed`; every other event comes out of `events`.
The first connection must succeed, or `open_client` raises `CannotConnect`: a wrong address is
better told at once. Later ones are tried for as long as it takes.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

from attrs import frozen
from kaguraden_protocol.links import grouped
from kaguraden_protocol.text import for_terminal
from websockets.exceptions import (
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    WebSocketException,
)

from .errors import ClientError
from .pins import CertificateRefused
from .session import Failed, HelloRefused, Stopped
from .table import Json

__all__ = [
    "CLOSE_SECONDS",
    "EVENTS_BUFFER",
    "MAX_TEXT_BYTES",
    "OPEN_SECONDS",
    "SEND_SECONDS",
    "CannotConnect",
    "NoWayBack",
    "RequestFailed",
    "SessionStopped",
    "explain",
    "proxy_for",
    "without_zone",
]

OPEN_SECONDS: Final = 10.0  # for TCP, TLS and the handshake
SEND_SECONDS: Final = 10.0  # one text; a peer that does not read would block it for ever
CLOSE_SECONDS: Final = 2.0  # to say goodbye
MAX_TEXT_BYTES: Final = 4 * 1024 * 1024  # the most that a server may be set to send
EVENTS_BUFFER: Final = 4096  # events; when nobody takes them the shell stops reading


class RequestFailed(ClientError):
    """A request was refused, or nobody knows what became of it (code `lost`)."""

    def __init__(self, failed: Failed | HelloRefused) -> None:
        super().__init__(f"{failed.code}: {for_terminal(failed.message)}")
        self.code = failed.code
        self.message = failed.message
        self.details: Mapping[str, Json] = failed.details


class SessionStopped(ClientError):
    """The session is over; `stopped` says why, None if its owner closed it or the client failed.

    A failure of the client itself is the `__cause__`.
    """

    def __init__(self, stopped: Stopped | None, fault: BaseException | None = None) -> None:
        if fault is None:
            super().__init__(stopped.en if stopped else "the client was closed")
        else:
            what = for_terminal(str(fault))
            super().__init__(f"the client failed: {type(fault).__name__}: {what}")
        self.stopped = stopped
        self.__cause__ = fault


class CannotConnect(ClientError):
    """The first connection failed; `ja` and `en` say why, and what to look at.

    `certificate` is there if that of the server was refused.
    """

    def __init__(
        self, url: str, ja: str, en: str, certificate: CertificateRefused | None = None
    ) -> None:
        super().__init__(f"{url}: {en}")
        self.url = url
        self.ja = ja
        self.en = en
        self.certificate = certificate

    @classmethod
    def because(cls, error: Exception, url: str) -> CannotConnect:
        """Return what an error means for somebody who wants to connect."""
        failure = explain(error, url)
        certificate = error if isinstance(error, CertificateRefused) else None
        return cls(url, failure.ja, failure.en, certificate)


def proxy_for(url: str) -> Literal[True] | None:
    """Return the `proxy` argument for a URL: hosts of the same network are reached directly.

    True means the proxy that the environment names, if any. A proxy that serves the way out of a
    network knows nothing of the servers in it.
    """
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".local") or "." not in host.strip("."):
        return None
    try:
        return None if ipaddress.ip_address(host).is_private else True
    except ValueError:
        return True


def without_zone(url: str) -> tuple[str, str]:
    """Return a URL without the zone of a link-local address, and the host with it.

    Which of this machine's links it is, `[fe80::1%eth0]`, is no business of the server.
    """
    host = urlsplit(url).hostname or ""
    zone = host.partition("%")[2]
    return (url.replace(f"%{zone}]", "]", 1) if zone else url), host


class NoWayBack(OSError):
    """The connection was a given one and has ended; there is no other."""


@frozen
class Failure:
    """Why no connection came about. A `final` one would fail again in the same way."""

    final: bool
    ja: str
    en: str


def explain(error: Exception, url: str = "") -> Failure:
    """Say what went wrong when a connection to `url` could not be opened."""
    if isinstance(error, CertificateRefused):
        return _explain_certificate(error)
    error = _beneath(error)
    if url.startswith("wss:") and _is_no_tls(error):
        return Failure(
            False,
            "暗号化された接続(TLS)になりません。ws:// で試してください",
            "no encrypted connection (TLS) came about; does the server want ws:// instead?",
        )
    match error:
        case NoWayBack():
            return Failure(True, "接続が終わりました", "the connection has ended")
        case InvalidStatus():
            return _explain_status(error.response.status_code, bytes(error.response.body or b""))
        case ssl.SSLCertVerificationError():  # which is a ValueError, too
            why = for_terminal(error.verify_message)
            return Failure(
                False,
                f"サーバーの証明書を信頼できません: {why}",
                f"the server's certificate is not trusted: {why}",
            )
        case InvalidURI() | ValueError():
            return Failure(
                True,
                "アドレスの形が違います(例: ws://192.168.1.5:8765/ws)",
                "this is no WebSocket address, such as ws://192.168.1.5:8765/ws",
            )
        case NegotiationError():
            return Failure(
                True,
                "サーバーが kaguraden.v1 を話しません",
                "the server does not speak kaguraden.v1",
            )
        case TimeoutError():
            return Failure(False, "時間内に応答がありません", "no answer in time")
        case InvalidHandshake() | WebSocketException() | EOFError() if url.startswith("ws:"):
            return Failure(
                False,
                "WebSocket サーバーではないようです。暗号化(TLS)が要るなら wss:// か参加リンクで試してください",
                "no WebSocket server answers there; if it is encrypted (TLS), use wss:// or its "
                "join link",
            )
        case InvalidHandshake() | WebSocketException() | EOFError():
            return Failure(
                False,
                "WebSocket サーバーではないようです",
                "no WebSocket server answers there",
            )
        case socket.gaierror():
            return Failure(False, "その名前のホストが見つかりません", "no host goes by this name")
        case OSError() if _is_refused(error):
            return Failure(
                False,
                "接続を拒まれました。サーバーは動いていますか",
                "the connection was refused: is the server running there?",
            )
        case _:
            why = for_terminal(str(error)) or type(error).__name__
            return Failure(False, f"接続できません: {why}", f"the connection failed: {why}")


def _explain_certificate(error: CertificateRefused) -> Failure:
    shown = grouped(error.shown)
    way = f"#tls={error.shown}"
    if error.wanted is None:
        why = for_terminal(error.why)
        return Failure(
            True,
            f"サーバーの証明書を確かめられません({why})。指紋は {shown} です。"
            f"本物だと確かめたら、アドレスに {way} を付けてください",
            f"the server's certificate cannot be checked ({why}). Its fingerprint is {shown}. Once "
            f"you know that it is the right one, add {way} to the address",
        )
    wanted = grouped(error.wanted)
    return Failure(
        True,
        f"サーバーの証明書が前と違い、別のサーバーかもしれません。今の指紋は {shown}、"
        f"前は {wanted} です。今の方が本物だと確かめたら、アドレスに {way} を付けてください",
        f"the server's certificate is another one, and so may the server be. Its fingerprint is "
        f"{shown}, not {wanted}. Once you know that the new one is right, add {way} to the address",
    )


def _beneath(error: Exception) -> Exception:
    """Return the error of TLS that trio has wrapped in one of its own, if there is one."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, ssl.SSLError):
            return found
        found = found.__cause__
    return error


def _is_no_tls(error: Exception) -> bool:
    """Whether the other end was there but does not speak TLS."""
    match error:
        case ssl.SSLCertVerificationError():
            return False  # it does; what is wrong is its certificate
        case ssl.SSLError() | ConnectionResetError() | ConnectionAbortedError() | EOFError():
            return True
        case InvalidHandshake() | TimeoutError() | socket.gaierror():
            return False
        case OSError():
            return not str(error)
        case _:
            return False


def _is_refused(error: BaseException | None) -> bool:
    """Whether every address of the host refused; each library wraps this in its own way."""
    match error:
        case ConnectionRefusedError():
            return True
        case BaseExceptionGroup():
            return all(map(_is_refused, error.exceptions))
        case OSError():
            return f"[Errno {errno.ECONNREFUSED}]" in str(error) or _is_refused(error.__cause__)
        case _:
            return False


def _explain_status(status: int, body: bytes) -> Failure:
    said = for_terminal(body[:200].decode("utf-8", "replace")).strip()
    tail = f": {said}" if said else ""
    ja, en = {
        400: ("サーバーが kaguraden.v1 を話しません", "the server does not speak kaguraden.v1"),
        403: ("ここからの接続は許されていません", "connections from here are not allowed"),
        404: ("そのパスには何もありません", "nothing is served at this path; servers use /ws"),
        421: ("その名前では接続できません", "the server does not go by this name"),
        503: ("サーバーは満員か、起動・停止の途中です", "the server is full, starting or stopping"),
    }.get(status, (f"HTTP {status} が返りました", f"the server answered HTTP {status}"))
    return Failure(400 <= status < 500 and status != 429, ja + tail, en + tail)
