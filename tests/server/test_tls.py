"""TLS: certificates that are made, kept, given and renewed; and real connections with them."""

import hashlib
import logging
import os
import socket
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from kaguraden_client.conformance.server.kit import Kit
from kaguraden_client.conformance.server.line import NoHandshake, SocketDoor
from kaguraden_client.pins import tls_context
from kaguraden_protocol.errors import CloseCode
from kaguraden_protocol.links import join_link
from kaguraden_server import app as app_module
from kaguraden_server import tls as tls_module
from kaguraden_server.app import App, Running
from kaguraden_server.commands import serve
from kaguraden_server.config import Config, DataSettings, TlsSettings
from kaguraden_server.tls import Tls, TlsError, open_tls
from websockets.exceptions import InvalidStatus
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.certificates import Made, make
from tests.fakes import OFUDA

from .house import Player, config
from .test_sockets import HELLO, Mute, SocketLine, close_of, told


def auto(folder: Path) -> Config:
    return Config(data=DataSettings(dir=str(folder), journal=False), tls=TlsSettings(mode="auto"))


def given(made: Made, **fields: Any) -> Config:
    tls = TlsSettings(mode="files", cert=str(made.cert), key=str(made.key))
    return Config(tls=evolve(tls, **fields))


def opened(settings: Config) -> Tls:
    tls = open_tls(settings)
    assert tls is not None
    return tls


@asynccontextmanager
async def served(settings: Config) -> AsyncIterator[tuple[App, Running]]:
    settings = evolve(settings, server=evolve(settings.server, port=0, drain_s=1))
    app = App(settings, games={"ofuda": OFUDA}, bots={})
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            running: Running = await nursery.start(app.run)
            yield app, running
            app.stop.set()


def dial(running: Running, pin: str | None = None, **fields: Any) -> connect:
    assert running.tls is not None
    return connect(
        running.url,
        ssl=tls_context(pin or running.tls.fingerprint),
        subprotocols=[Subprotocol("kaguraden.v1")],
        compression=None,
        proxy=None,
        **fields,
    )


async def raw(running: Running) -> trio.SocketStream:
    return await trio.open_tcp_stream("127.0.0.1", running.port)


async def rest(stream: trio.abc.Stream) -> bytes:
    """Return what still comes, until the other end closes or breaks the connection."""
    data = b""
    try:
        async for part in stream:
            data += part
    except trio.BrokenResourceError:
        pass
    return data


def shown_by(ws: ClientConnection) -> str:
    der = ws.stream.getpeercert(binary_form=True)  # type: ignore[attr-defined]
    return hashlib.sha256(der).hexdigest()


# --- certificates --------------------------------------------------------------------------------


def test_a_certificate_is_made_once_for_the_owner_alone(tmp_path: Path) -> None:
    tls = opened(auto(tmp_path))
    file = tmp_path / "tls" / "certificate.pem"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert opened(auto(tmp_path)).fingerprint == tls.fingerprint == tls.pin
    assert os.listdir(file.parent) == [file.name]
    cert = x509.load_pem_x509_certificate(file.read_bytes())
    assert hashlib.sha256(cert.public_bytes(Encoding.DER)).hexdigest() == tls.fingerprint
    names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    own = socket.gethostname().lower().partition(".")[0]
    assert {"localhost", f"{own}.local"} <= set(names.get_values_for_type(x509.DNSName))
    assert "127.0.0.1" in map(str, names.get_values_for_type(x509.IPAddress))
    assert cert.not_valid_after_utc.year >= 2040


def test_of_two_servers_that_make_one_at_once_both_show_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_one = tls_module._make
    others: list[str] = []

    def be_late() -> bytes:
        monkeypatch.setattr(tls_module, "_make", make_one)
        others.append(opened(auto(tmp_path)).fingerprint)
        return make_one()

    monkeypatch.setattr(tls_module, "_make", be_late)
    assert [opened(auto(tmp_path)).fingerprint] == others


def test_without_a_data_folder_it_is_kept_among_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAGURADEN_HOME", str(tmp_path))
    opened(Config(tls=TlsSettings(mode="auto")))
    assert (tmp_path / "tls" / "certificate.pem").exists()


def test_old_versions_of_tls_are_not_spoken(tmp_path: Path) -> None:
    assert opened(auto(tmp_path)).context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_an_authority_can_be_checked_so_links_pin_nothing(tmp_path: Path) -> None:
    authority = make(tmp_path, "authority", authority=True)
    made = make(tmp_path, by=authority)
    assert opened(given(made)).pin == ""
    assert opened(given(made)).fingerprint == made.fingerprint
    assert opened(given(authority)).pin == authority.fingerprint


def test_one_file_may_hold_both(tmp_path: Path) -> None:
    made = make(tmp_path)
    made.cert.write_bytes(made.key.read_bytes() + made.cert.read_bytes())
    assert opened(given(made, key="")).fingerprint == made.fingerprint


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: evolve(m, cert=m.cert.with_name("none")), "tls.cert: {0}/none: No such file"),
        (lambda m: evolve(m, key=m.cert.with_name("none")), "tls.key: {0}/none: No such file"),
        (lambda m: evolve(m, cert=m.key), "tls.cert: {0}/hall.key: holds no certificate"),
        (lambda m: evolve(m, key=m.cert), "tls.key: {0}/hall.pem: holds no private key"),
        (
            lambda m: evolve(m, key=make(m.key.parent, "other").key),
            "tls.key: {0}/other.key: does not belong to the certificate in {0}/hall.pem",
        ),
        (
            lambda m: make(m.key.parent, "sealed", passphrase=b"x"),
            "tls.key: {0}/sealed.key: wants a passphrase",
        ),
        (lambda m: make(m.key.parent, "old", days=-1), "tls.cert: {0}/old.pem: expired on 20"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(tmp_path: Path, change: Any, said: str) -> None:
    made = change(make(tmp_path))
    result = CliRunner().invoke(
        serve, ["--cert", str(made.cert), "--key", str(made.key), "--port", "0"]
    )
    assert result.exit_code == 2
    assert result.output.startswith(f"kaguraden serve: {said.format(tmp_path)}")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (TlsSettings(mode="files"), "tls.cert: name the file"),
        (TlsSettings(cert="c.pem"), 'tls.mode: .*"off"'),
        (TlsSettings(key="k.pem"), 'tls.mode: .*"off"'),
        (TlsSettings(mode="auto", cert="c.pem"), 'tls.mode: .*"auto"'),
    ],
)
def test_settings_that_do_not_fit_together_are_told(settings: TlsSettings, said: str) -> None:
    with pytest.raises(TlsError, match=said):
        open_tls(Config(tls=settings))


def test_a_certificate_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("in the way")
    with pytest.raises(TlsError, match=r"tls.mode: cannot write .*/tls/certificate.pem: "):
        open_tls(auto(tmp_path))


# --- connections ---------------------------------------------------------------------------------


async def test_a_client_that_pins_the_certificate_is_let_in(tmp_path: Path) -> None:
    async with served(auto(tmp_path)) as (_, running):
        assert running.url == f"wss://127.0.0.1:{running.port}/ws"
        own = Origin(f"https://127.0.0.1:{running.port}")
        async with dial(running, origin=own) as ws:
            await Player(SocketLine(ws)).open("Aki")
            assert next(iter(running.lobby.connections)).wire.address == "127.0.0.1"
        with pytest.raises(InvalidStatus):
            async with dial(running, origin=Origin(own.replace("https", "http"))):
                raise AssertionError("a page that anybody on the way could have changed")


async def test_pages_lead_to_the_encrypted_port(tmp_path: Path) -> None:
    async with served(auto(tmp_path)) as (_, running):
        assert running.tls is not None
        door = SocketDoor(running.url, pin=running.tls.fingerprint)
        host = f"127.0.0.1:{running.port}"
        page = (await door.http("GET", "/")).body.decode()
        assert join_link(running.url, pin=running.tls.pin) in page
        assert "ws://" not in page
        policy = (await door.http("GET", "/play")).headers["content-security-policy"]
        assert f"connect-src 'self' wss://{host};" in policy


async def test_the_kit_reaches_an_encrypted_server(tmp_path: Path) -> None:
    async with served(auto(tmp_path)) as (_, running):
        assert running.tls is not None
        async with Kit(SocketDoor(running.url, pin=running.tls.fingerprint)).stranger():
            pass
        with pytest.raises(NoHandshake, match="not accepted"):
            async with Kit(SocketDoor(running.url, pin="0" * 64)).stranger():
                raise AssertionError("let in")


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\0" * 600])
async def test_what_is_no_tls_is_hung_up_on_without_a_word_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, said: bytes
) -> None:
    async with served(auto(tmp_path)) as (_, running):
        async with await raw(running) as stream:
            await stream.send_all(said)
            assert b"HTTP" not in await rest(stream)
        async with dial(running) as ws:
            await Player(SocketLine(ws)).open("Aki")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_tls_at_a_port_without_it_leaves_no_word_in_the_log_either(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(Config()) as (_, running):
        stream = trio.SSLStream(await raw(running), tls_context("0" * 64), server_hostname="x")
        with pytest.raises(trio.BrokenResourceError):
            await stream.do_handshake()
        await trio.aclose_forcefully(stream)
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_handshake_that_does_not_go_on_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(app_module, "HANDSHAKE_S", 0.2)
    async with served(auto(tmp_path)) as (_, running):
        async with await raw(running) as silent, await raw(running) as slow:
            await slow.send_all(b"\x16\x03\x01\x02\x00\x01")  # a ClientHello begins like this
            assert await rest(silent) == await rest(slow) == b""
        async with dial(running) as ws:
            await Player(SocketLine(ws)).open("Aki")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_half_open_connections_count_until_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "HANDSHAKE_S", 0.5)
    limits = config({"connections_per_address": 1}).limits  # open streams: twice as many
    async with served(evolve(auto(tmp_path), limits=limits)) as (_, running):
        async with await raw(running) as first, await raw(running) as second:
            async with await raw(running) as third:
                assert await rest(third) == b"", "hung up on at once"
            began = trio.current_time()
            assert await rest(second) == await rest(first) == b""
            assert trio.current_time() - began > 0.1, "those had to wait until they were cut"
        async with dial(running) as ws:
            await Player(SocketLine(ws)).open("Aki")


# --- a new certificate ---------------------------------------------------------------------------


async def test_new_connections_see_the_renewed_certificate_and_old_ones_stay(
    tmp_path: Path,
) -> None:
    made, new = make(tmp_path), make(tmp_path, "new")
    async with served(given(made)) as (app, running):
        assert app.tls is not None
        async with dial(running) as old:
            aki = await Player(SocketLine(old)).open("Aki")
            new.cert.replace(made.cert)
            new.key.replace(made.key)
            app.tls.reload()
            assert app.tls.fingerprint == new.fingerprint
            async with dial(running) as ws:
                assert shown_by(ws) == new.fingerprint
                await Player(SocketLine(ws)).open("Ben")
            assert shown_by(old) == made.fingerprint
            await aki.ask("rooms")


async def test_half_a_renewed_pair_changes_nothing(tmp_path: Path) -> None:
    made, new = make(tmp_path), make(tmp_path, "new")
    async with served(given(made)) as (app, running):
        assert app.tls is not None
        new.cert.replace(made.cert)
        with pytest.raises(TlsError, match="does not belong"):
            app.tls.reload()
        assert app.tls.fingerprint == made.fingerprint
        async with dial(running) as ws:
            await Player(SocketLine(ws)).open("Aki")


# --- readers that are stuck ----------------------------------------------------------------------


async def dial_mute(running: Running) -> Mute:
    assert running.tls is not None
    return await Mute.dial(running.port, tls_context(running.tls.fingerprint))


LIMITS = {
    "write_ms": 300,
    "burst_requests": 100_000,
    "requests_per_second": 100_000,
    "chat_messages": 1_000,
    "queue_bytes": 65_536,
}


async def seat_a_mute(running: Running, aki: Player, room: str) -> Mute:
    mute = await dial_mute(running)
    await mute.send(**{**HELLO, "name": "Mute"})
    await mute.send(type="join", id=1, room=room, **{"as": "spectator"})
    seen = running.lobby.rooms[room].info().spectators
    while running.lobby.rooms[room].info().spectators == seen:
        await aki.next("room")
    return mute


async def test_a_stuck_reader_is_cut_and_nobody_else_notices(tmp_path: Path) -> None:
    settings = evolve(auto(tmp_path), limits=config(LIMITS).limits)
    async with served(settings) as (_, running), dial(running) as ws:
        aki = await Player(SocketLine(ws)).open("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        mute = await seat_a_mute(running, aki, room)
        slowest, said = 0.0, 0
        while len(running.lobby.connections) == 2:
            began = trio.current_time()
            await aki.ask("chat", room=room, text="神楽" * 250)
            slowest = max(slowest, trio.current_time() - began)
            said += 1
        assert said >= 20, "it took more than the buffers hold"
        assert slowest < 0.25
        await trio.aclose_forcefully(mute.stream)


async def test_a_stop_is_bounded_with_readers_that_are_stuck(tmp_path: Path) -> None:
    limits = config({**LIMITS, "write_ms": 60_000, "queue_bytes": 16_777_216}).limits
    settings = evolve(auto(tmp_path), limits=limits)
    async with served(settings) as (app, running), dial(running) as ws:
        aki = await Player(SocketLine(ws)).open("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        mutes = [await seat_a_mute(running, aki, room) for _ in range(3)]
        half_open = await raw(running)

        def stuck() -> int:
            return sum(len(c.outbox) > 20 for c in running.lobby.connections)

        while stuck() < len(mutes):
            await aki.ask("chat", room=room, text="神楽" * 250)
        app.stop.set()
        try:
            with trio.fail_after(10):  # one stuck write alone would take a minute
                assert await close_of(ws) == told(CloseCode.RESTARTING)
                assert await rest(half_open) == b""
                while running.lobby.connections:
                    await trio.testing.wait_all_tasks_blocked(0.01)
        finally:
            for stream in (*(mute.stream for mute in mutes), half_open):
                await trio.aclose_forcefully(stream)
