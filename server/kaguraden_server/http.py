"""What the port answers besides WebSocket: health, readiness, the schemas, and pages for people.

Everything is decided from the request's head, before a handshake, in this order: is the server
called by a name that it has (421 otherwise, against DNS rebinding); does the path exist; may the
client come (403); and for `/ws`, does a web page of an allowed origin ask (403), is a version of
the protocol offered that is spoken (400), is the server up, and does the client's address keep to
its limits (429). What then remains is the library's handshake.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING

import trio
from kaguraden_protocol.links import join_link
from kaguraden_protocol.versions import SUBPROTOCOLS, negotiate
from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response

from . import published
from .neighbours import Client, Neighbours, Rates, counted

if TYPE_CHECKING:
    from .config import Config
    from .scrapes import Scrapes
    from .tls import Tls

__all__ = ["Door"]

PLAIN = "text/plain; charset=utf-8"
PAGE = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"
PUBLISHED = "/protocol/v1/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


class Door:
    """Answers requests by their heads.

    Args:
        config: The server's settings.
        is_ready: Tells whether the server takes new connections.
        has_place: Tells whether one more connection from an address is within the limits.
        tls: The certificate of the port, if it is encrypted.
        scrapes: The metrics; None if there are none.
        now: Returns the time, in seconds.
    """

    def __init__(
        self,
        config: Config,
        is_ready: Callable[[], bool],
        has_place: Callable[[str], bool],
        tls: Tls | None = None,
        scrapes: Scrapes | None = None,
        *,
        now: Callable[[], float] = trio.current_time,
    ) -> None:
        self._tls = tls
        self._now = now
        self._rates = Rates()
        self._is_ready = is_ready
        self._has_place = has_place
        self._scrapes = scrapes
        self.adopt(config)

    def adopt(self, config: Config) -> None:
        """Go by other settings from now on."""
        self._config = config
        self._neighbours = Neighbours.of(config.server)
        named = {name.lower().rstrip(".") for name in config.server.allowed_hosts}
        host = socket.gethostname().lower().rstrip(".")
        local = f"{host.partition('.')[0]}.local"  # by multicast DNS, whatever the domain
        self._names = named | {"localhost", host, f"{host}.local", local}
        self._names.add(config.server.host.lower())
        self._origins = {origin.rstrip("/").lower() for origin in config.server.allowed_origins}

    def answer(self, request: Request, local: str, remote: str) -> Response | None:
        """Return what to answer, or None to go on with the WebSocket handshake.

        Args:
            request: The request's head.
            local: The address of this server that the request came to; "" if there is none.
            remote: The address that it came from, which may be a proxy's.
        """
        response = self._answer(request, local, remote)
        if response is not None and request.method == "HEAD":
            response.body = b""  # Content-Length stays that of the GET
        if response is not None and self._scrapes is not None:
            self._scrapes.note(response.status_code)
        return response

    def share(self, remote: str) -> int | None:
        """Return how many streams an address may have open; None if it is a proxy's.

        Pages come over streams of their own, beside the connections.
        """
        if self._neighbours.is_proxy(remote):
            return None
        return 2 * self._config.limits.connections_per_address

    def client(self, request: Request, remote: str) -> Client:
        """Return who asks, where the request came from `remote`, maybe a proxy."""
        return self._neighbours.client(remote, request.headers)

    def _answer(self, request: Request, local: str, remote: str) -> Response | None:
        host = _single(request.headers, "Host")
        if host is None or not self._is_own(host, local):
            return respond(HTTPStatus.MISDIRECTED_REQUEST, "this server has no such name\n")
        path = request.path.partition("?")[0]
        client = self.client(request, remote)
        # Whoever keeps the server running may look from anywhere whether it is well.
        if path not in {"/healthz", "/readyz"} and not self._neighbours.admits(client.address):
            return respond(HTTPStatus.FORBIDDEN, "your address may not come here\n")
        if path == "/ws":
            return self._answer_socket(request, host, client.address)
        document = path.removeprefix(PUBLISHED) if path.startswith(PUBLISHED) else None
        if path == "/metrics" and self._scrapes is not None:
            return _answer_metrics(request, remote, self._scrapes)
        if path not in {"/", "/play", "/healthz", "/readyz"} and document not in published.PATHS:
            return respond(HTTPStatus.NOT_FOUND, "there is nothing here\n")
        if request.method not in {"GET", "HEAD"}:
            return _get_only()
        match path:
            case "/healthz":
                return respond(HTTPStatus.OK, "ok\n")
            case "/readyz":
                if self._is_ready():
                    return respond(HTTPStatus.OK, "ready\n")
                return _unavailable()
            case "/":
                policy = [("Content-Security-Policy", POLICY)]
                return respond(HTTPStatus.OK, self._page(host, client), PAGE, more=policy)
            case "/play":
                page, script = _client()
                policy = [("Content-Security-Policy", _client_policy(script, self._sockets(host)))]
                return respond(HTTPStatus.OK, page, PAGE, more=policy)
            case _:
                cache = [("Cache-Control", "max-age=3600")]
                return respond(HTTPStatus.OK, published.text(document), JSON, more=cache)

    def _answer_socket(self, request: Request, host: str, address: str) -> Response | None:
        if request.method != "GET":
            return respond(
                HTTPStatus.METHOD_NOT_ALLOWED, "only GET, to upgrade\n", more=[("Allow", "GET")]
            )
        if "Origin" in request.headers:
            origin = _single(request.headers, "Origin")
            if origin is None or not self._may_come_from(origin.lower(), host.lower()):
                return respond(HTTPStatus.FORBIDDEN, "this origin may not connect\n")
        if not _wants_socket(request.headers):
            return None  # the library says 426
        offered = [
            token.strip()
            for value in request.headers.get_all("Sec-WebSocket-Protocol")
            for token in value.split(",")
        ]
        if negotiate(offered) is None:
            spoken = ", ".join(SUBPROTOCOLS)
            return respond(HTTPStatus.BAD_REQUEST, f"offer a WebSocket subprotocol of: {spoken}\n")
        if not self._is_ready():
            return _unavailable()
        per_minute = self._config.server.handshakes_per_minute
        wait_s = self._rates.take(counted(address), per_minute, self._now()) if address else 0
        if wait_s or not self._has_place(address):
            wait = [("Retry-After", str(wait_s or 30))]
            return respond(HTTPStatus.TOO_MANY_REQUESTS, "too many connections\n", more=wait)
        return None

    def _is_own(self, host: str, local: str) -> bool:
        name = _hostname(host)
        return name is not None and (name in self._names or _same_address(name, local))

    def _may_come_from(self, origin: str, host: str) -> bool:
        own = {f"https://{host}"}
        if self._tls is None:  # with a proxy before it, pages come from https all the same
            own.add(f"http://{host}")
        return origin in own or origin in self._origins

    def _sockets(self, host: str) -> str:
        """Return where pages may connect: to this port, or to that of a proxy before it."""
        return f"wss://{host}" if self._tls is not None else f"ws://{host} wss://{host}"

    def _page(self, host: str, client: Client) -> str:
        called = html.escape(self._config.server.name)
        is_secure = client.is_secure or self._tls is not None
        address = f"wss://{host}/ws" if is_secure else f"ws://{host}/ws"
        if self._tls is not None and self._tls.pin:
            address = f'"{join_link(address, pin=self._tls.pin)}"'
        address = html.escape(address)
        links = ", ".join(f'<a href="{PUBLISHED}{path}">{path}</a>' for path in published.PATHS)
        return (
            '<!doctype html>\n<html lang="ja">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n'
            f"<title>{called}</title>\n"
            "<style>body{font:1.1rem/1.6 sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}"
            "code{background:#eee;padding:.2rem .4rem;overflow-wrap:anywhere}</style>\n"
            f"<h1>{called}</h1>\n"
            '<p><a href="/play">このブラウザで遊ぶ</a>。'
            f"端末から遊ぶには: <code>kaguraden play {address}</code></p>\n"
            '<p lang="en"><a href="/play">Play in this browser</a>, '
            f"or in a terminal: <code>kaguraden play {address}</code></p>\n"
            f'<p lang="en">To write a client for protocol <code>{", ".join(SUBPROTOCOLS)}</code>: '
            f"{links}.</p>\n</html>\n"
        )


def _answer_metrics(request: Request, remote: str, scrapes: Scrapes) -> Response:
    if not scrapes.may_read(request.headers, remote):
        return respond(HTTPStatus.FORBIDDEN, "only from this machine, or with the token\n")
    if request.method not in {"GET", "HEAD"}:
        return _get_only()
    text, kind = scrapes.read()
    return respond(HTTPStatus.OK, text, kind, more=[("Cache-Control", "no-store")])


def respond(
    status: HTTPStatus, body: str, kind: str = PLAIN, more: Iterable[tuple[str, str]] = ()
) -> Response:
    """Return a complete response."""
    data = body.encode()
    headers = Headers(
        [
            ("Date", formatdate(usegmt=True)),
            ("Connection", "close"),
            ("Content-Length", str(len(data))),
            ("Content-Type", kind),
            ("X-Content-Type-Options", "nosniff"),
            *more,
        ]
    )
    return Response(status.value, status.phrase, headers, data)


def _get_only() -> Response:
    allowed = [("Allow", "GET, HEAD")]
    return respond(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD\n", more=allowed)


def _unavailable() -> Response:
    return respond(HTTPStatus.SERVICE_UNAVAILABLE, "not ready\n", more=[("Retry-After", "5")])


def _single(headers: Headers, name: str) -> str | None:
    try:
        return headers.get(name)
    except MultipleValuesError:
        return None


def _wants_socket(headers: Headers) -> bool:
    upgrades = ",".join(headers.get_all("Upgrade")).lower().split(",")
    return "websocket" in [token.strip() for token in upgrades]


def _hostname(host: str) -> str | None:
    """Return the name or address of a `Host` header, without the port; None if it is none."""
    name = host.strip().lower()
    if name.startswith("["):
        name, closed, port = name[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            return None
    else:
        name, _, port = name.partition(":")
    if port.strip(":") and not port.strip(":").isdecimal():
        return None
    if "%" in name:  # a zone means nothing here, and may be any text; ours goes into a policy
        return None
    return name.rstrip(".") or None


def _same_address(name: str, local: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
        own = ipaddress.ip_address(local.partition("%")[0])
    except ValueError:
        return False
    return own in {address, getattr(address, "ipv4_mapped", None)} or address == getattr(
        own, "ipv4_mapped", None
    )


@functools.cache
def _client() -> tuple[str, str]:
    """Return the web client, `client/examples/browser`, and the hash of its script."""
    page = files(__package__).joinpath("play.html").read_text("utf-8")
    (script,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    return page, base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _client_policy(script: str, sockets: str) -> str:
    """Let the page run its own script, and connect to this server only.

    `'self'` is the socket too, but in older browsers; the host in it has been found to be our name.
    """
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; "
        f"connect-src 'self' {sockets}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
