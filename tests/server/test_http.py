"""What the port answers to plain requests, and whom it lets in (protocol §2)."""

import base64
import hashlib
import json
import re
import socket
from typing import Any

import pytest
from attrs import evolve
from kaguraden_server import published
from kaguraden_server.config import Config, ServerSettings
from kaguraden_server.http import Door
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

SETTINGS = ServerSettings(
    allowed_hosts=("play.example.org",), allowed_origins=("https://example.org",)
)
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Protocol": "kaguraden.v1",
}


def door(*, ready: bool = True, place: bool = True, settings: ServerSettings = SETTINGS) -> Door:
    return Door(
        evolve(Config(), server=settings), lambda: ready, lambda address: place, now=lambda: 0.0
    )


def ask(
    path: str, headers: dict[str, str] | None = None, *, method: str = "GET", **given: Any
) -> Response | None:
    fields = Headers({"Host": "localhost:8765", **(headers or {})})
    request = Request(path, fields, method)
    return door(**given).answer(request, "192.0.2.7", "192.0.2.99")


def status(response: Response | None) -> int | None:
    return None if response is None else response.status_code


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:80",
        "127.0.0.1:8765",
        "192.0.2.7",
        "192.0.2.7:1",
        "play.example.org",
        "Play.Example.Org.:443",
    ],
)
def test_the_server_answers_to_its_own_names(host: str) -> None:
    assert status(ask("/healthz", {"Host": host})) == 200


@pytest.mark.parametrize("called", ["akis-mac", "akis-mac.lan", "Akis-Mac.local"])
def test_the_machines_own_names_are_names(called: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: called)
    for host in (called, "akis-mac.local:8765", "AKIS-MAC.local."):
        assert status(ask("/healthz", {"Host": host})) == 200
    assert status(ask("/healthz", {"Host": "other.local"})) == 421


@pytest.mark.parametrize(
    "host",
    ["evil.example", "192.0.2.8", "localhost.evil.example", "", "[::2]", "localhost:x", "[::1"],
)
def test_other_names_are_misdirected(host: str) -> None:
    assert status(ask("/healthz", {"Host": host})) == 421
    assert status(ask("/ws", {"Host": host, **UPGRADE})) == 421


def test_no_host_or_two_are_misdirected() -> None:
    for headers in (Headers(), Headers([("Host", "localhost"), ("Host", "evil.example")])):
        assert status(door().answer(Request("/healthz", headers), "127.0.0.1", "")) == 421


@pytest.mark.parametrize(
    ("host", "local"),
    [("[::1]:8765", "::1"), ("192.0.2.7", "::ffff:192.0.2.7"), ("[fe80::1]", "fe80::1%eth0")],
)
def test_an_address_the_connection_came_to_is_a_name_too(host: str, local: str) -> None:
    request = Request("/healthz", Headers({"Host": host}))
    assert status(door().answer(request, local, "")) == 200


def test_health_is_there_while_it_lives_and_readiness_while_it_takes_clients() -> None:
    assert status(ask("/healthz", ready=False)) == 200
    assert status(ask("/readyz")) == 200
    unready = ask("/readyz", ready=False)
    assert unready is not None
    assert unready.status_code == 503
    assert unready.headers["Retry-After"] == "5"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/play",
        "/healthz",
        "/readyz",
        "/protocol/v1/schema.json",
        "/protocol/v1/games/enbu.json",
    ],
)
def test_head_is_get_without_the_body(path: str) -> None:
    got, head = ask(path), ask(path, method="HEAD")
    assert got is not None
    assert head is not None
    assert head.body == b""
    for name in ("Content-Length", "Content-Type"):
        assert head.headers[name] == got.headers[name]
    assert int(got.headers["Content-Length"]) == len(got.body)
    assert got.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", published.PATHS)
def test_the_documents_are_served(path: str) -> None:
    response = ask(f"/protocol/v1/{path}?x=1")
    assert response is not None
    assert response.headers["Content-Type"].startswith("application/json")
    assert json.loads(response.body) == published.document(path)


@pytest.mark.parametrize("path", ["", "schema", "games/", "games/chess.json", "../v1/schema.json"])
def test_no_other_documents_are_there(path: str) -> None:
    assert status(ask(f"/protocol/v1/{path}")) == 404


def test_the_page_says_how_to_join_and_trusts_no_header() -> None:
    response = ask("/", {"Host": "play.example.org:80"})
    assert response is not None
    assert b"kaguraden play ws://play.example.org:80/ws" in response.body
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert status(ask("/", {"Host": "localhost:<script>"})) == 421
    assert status(ask("/play", {"Host": "[::ffff:192.0.2.7%; script-src *]"})) == 421


def test_the_web_client_may_run_its_own_script_and_talk_to_this_server_only() -> None:
    response = ask("/play?room=KAGU-7Q2F", {"Host": "play.example.org:80"})
    assert response is not None
    (script,) = re.findall(b"<script>(.*?)</script>", response.body, re.DOTALL)
    own = base64.b64encode(hashlib.sha256(script).digest()).decode()
    policy = response.headers["Content-Security-Policy"].split("; ")
    assert f"script-src 'sha256-{own}'" in policy
    assert "connect-src 'self' ws://play.example.org:80 wss://play.example.org:80" in policy
    assert "default-src 'none'" in policy
    assert not re.search(rb"\son[a-z]+=|javascript:", response.body.replace(script, b""))


@pytest.mark.parametrize("path", ["/metrics/", "/favicon.ico", "/ws/", "/WS", "/../etc/passwd"])
def test_there_is_nothing_else(path: str) -> None:
    assert status(ask(path)) == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reading_is_allowed(method: str) -> None:
    response = ask("/healthz", method=method)
    assert response is not None
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert status(ask("/ws", method=method)) == 405


def test_a_client_that_speaks_the_protocol_is_let_in() -> None:
    assert ask("/ws", UPGRADE) is None
    assert ask("/ws", {**UPGRADE, "Sec-WebSocket-Protocol": "other, kaguraden.v1"}) is None


@pytest.mark.parametrize("offered", [None, "", "kaguraden.v0", "chat, kaguraden.v99"])
def test_who_offers_no_known_version_is_told_what_is_spoken(offered: str | None) -> None:
    headers = {k: v for k, v in UPGRADE.items() if k != "Sec-WebSocket-Protocol"}
    if offered is not None:
        headers["Sec-WebSocket-Protocol"] = offered
    response = ask("/ws", headers)
    assert response is not None
    assert response.status_code == 400
    assert b"kaguraden.v1" in response.body


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://localhost:8765", True),
        ("https://localhost:8765", True),
        ("https://example.org", True),
        ("https://EXAMPLE.org", True),
        ("http://example.org", False),
        ("https://example.org.evil", False),
        ("http://localhost", False),
        ("null", False),
        ("", False),
    ],
)
def test_web_pages_connect_from_allowed_origins_alone(origin: str, allowed: bool) -> None:
    assert status(ask("/ws", {**UPGRADE, "Origin": origin})) == (None if allowed else 403)


def test_a_server_that_stops_or_is_full_takes_nobody() -> None:
    assert status(ask("/ws", UPGRADE, ready=False)) == 503
    assert status(ask("/ws", UPGRADE, place=False)) == 429


# --- who asks -------------------------------------------------------------------------------------

BEHIND = ServerSettings(
    trusted_proxies=("192.0.2.99",), allowed_networks=("203.0.113.0/24",), handshakes_per_minute=2
)
LOCAL = "192.0.2.7"
PROXY = "192.0.2.99"


def behind(path: str, client: str, **more: str) -> Request:
    fields = {"Host": "localhost", "X-Forwarded-For": client, **UPGRADE, **more}
    return Request(path, Headers(fields))


def test_clients_count_by_their_own_address_and_those_of_one_home_together() -> None:
    open_to_all = evolve(BEHIND, allowed_networks=())
    asked = door(settings=open_to_all)
    for client in ("203.0.113.1", "203.0.113.2", "2001:db8::1"):
        for _ in range(2):
            assert asked.answer(behind("/ws", client), LOCAL, PROXY) is None
    for client in ("203.0.113.1", "203.0.113.2", "2001:db8::2"):
        refused = asked.answer(behind("/ws", client), LOCAL, PROXY)
        assert refused is not None
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
    assert asked.answer(behind("/ws", "203.0.113.1"), LOCAL, "192.0.2.98") is None, "itself"


def test_the_place_that_is_asked_for_is_the_clients() -> None:
    asked_for: list[str] = []

    def has_place(address: str) -> bool:
        asked_for.append(address)
        return True

    Door(evolve(Config(), server=BEHIND), lambda: True, has_place, now=lambda: 0.0).answer(
        behind("/ws", "203.0.113.1"), LOCAL, PROXY
    )
    assert asked_for == ["203.0.113.1"]


@pytest.mark.parametrize("path", ["/ws", "/", "/play", "/protocol/v1/schema.json"])
def test_only_allowed_networks_come_in(path: str) -> None:
    asked = door(settings=BEHIND)
    assert status(asked.answer(behind(path, "203.0.113.1"), LOCAL, PROXY)) in {None, 200}
    assert status(asked.answer(behind(path, "203.0.112.1"), LOCAL, PROXY)) == 403
    assert status(asked.answer(behind(path, "203.0.113.1"), LOCAL, "192.0.2.98")) == 403
    assert status(asked.answer(behind("/healthz", "203.0.112.1"), LOCAL, PROXY)) == 200


def test_links_of_the_page_are_those_that_work_through_the_proxy() -> None:
    asked = door(settings=BEHIND)
    plain = asked.answer(behind("/", "203.0.113.1"), LOCAL, PROXY)
    assert plain is not None
    assert b"kaguraden play ws://localhost/ws" in plain.body
    request = behind("/", "203.0.113.1", **{"X-Forwarded-Proto": "https"})
    over_tls = asked.answer(request, LOCAL, PROXY)
    assert over_tls is not None
    assert b"kaguraden play wss://localhost/ws" in over_tls.body
