"""Clients and certificates: pins, authorities, changes; over real TLS, under both shells."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kaguraden_client import CannotConnect, connect, shell
from kaguraden_client import session as s
from kaguraden_client.bots.commands import bot
from kaguraden_client.links import Link, is_here, read_fingerprint, read_link
from kaguraden_client.pins import CertificateRefused
from kaguraden_client.session import Session
from kaguraden_client.terminal import ui
from kaguraden_client.terminal.commands import play
from kaguraden_client.terminal.memory import Memory
from kaguraden_client.terminal.ui import Ui
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol.links import grouped, join_link

from tests.certificates import make
from tests.client.peer import Peer, serving
from tests.client.scripts import TOKEN
from tests.client.test_shells import Body, both, until

PIN = "0123456789abcdef" * 4
OTHER = "f" * 64


def greet(peer: Peer) -> None:
    peer.greet()
    peer.wait_end()


def greet_and_drop(peer: Peer) -> None:
    peer.greet()
    peer.drop()


def host_nothing(peer: Peer) -> None:
    """Have no tables, and let nobody in."""
    peer.greet()
    while True:
        request = peer.read()
        if request["type"] == "rooms":
            peer.ok(request, rooms=[])
        else:
            said = {"type": "error", "re": request["id"], "code": "room_full", "message": "full"}
            peer.say({**said, "details": {}})


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("192.168.1.5:8765", Link("ws://192.168.1.5:8765/ws")),
        ("http://hall.lan:1/play?room=kagu-7q2f", Link("ws://hall.lan:1/ws", "KAGU-7Q2F")),
        (
            f"https://[fd00::2]:1/play?room=KAGU-7Q2F#tls={PIN}",
            Link("wss://[fd00::2]:1/ws", "KAGU-7Q2F", PIN),
        ),
        (f" https://hall.lan/play#tls={PIN.upper()} ", Link("wss://hall.lan/ws", None, PIN)),
        (f"wss://hall.lan/ws#tls={grouped(PIN)}", Link("wss://hall.lan/ws", None, PIN)),
        ("https://hall.lan/games/play", Link("wss://hall.lan/games/ws")),
        ("ws://hall.lan/play", Link("ws://hall.lan/play")),
    ],
)
def test_links_are_read(text: str, link: Link) -> None:
    assert read_link(text) == link
    shown = join_link(link.url, link.room, link.fingerprint)
    assert link.url.endswith("/play") or read_link(shown) == link


@pytest.mark.parametrize(
    "text",
    ["https://h/play#tls=12", f"http://h/play#tls={PIN}", "https://h/play#tls="],
)
def test_a_link_with_a_pin_that_cannot_be_kept_to_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="fingerprint"):
        read_link(text)


@pytest.mark.parametrize("what", ["\x1b]0;x\x07", "\x9b2J", "\n", "\u202e", "\udcff", "%1b[2J"])
@pytest.mark.parametrize("where", ["h{}:1", "http://h/{}/play", "http://h/play?room=A{}B"])
def test_a_link_that_harms_terminals_is_none(where: str, what: str) -> None:
    with pytest.raises(ValueError, match="cannot be shown"):
        read_link(where.format(what))


def test_fingerprints_are_shown_in_pairs_and_read_like_that() -> None:
    assert read_fingerprint(grouped(PIN)) == PIN


# --- shells --------------------------------------------------------------------------------------


@both
def test_the_pinned_certificate_is_accepted_and_again_after_a_loss(
    under: Callable[[Body], None], tmp_path: Path
) -> None:
    made = make(tmp_path)

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki"), pin=made.fingerprint) as client:
            assert not (await until(client, s.Opened)).again
            assert (await until(client, s.Opened)).again

    with serving(greet_and_drop, greet, tls=made.context()) as server:
        under(body)


@both
def test_another_certificate_than_the_pinned_one_is_sent_nothing(
    under: Callable[[Body], None], tmp_path: Path
) -> None:
    made = make(tmp_path)

    async def body(open_client: Any) -> None:
        with pytest.raises(CannotConnect) as caught:
            async with open_client(server.url, Session("Aki", token=TOKEN), pin=OTHER):
                pass
        refused = caught.value.certificate
        assert refused is not None
        assert (refused.shown, refused.wanted) == (made.fingerprint, OTHER)
        for text in (caught.value.ja, caught.value.en):
            assert grouped(made.fingerprint) in text
            assert grouped(OTHER) in text

    with serving(tls=made.context()) as server:
        under(body)
    assert server.asked == 0


@both
def test_a_certificate_that_nobody_vouches_for_is_named_and_sent_nothing(
    under: Callable[[Body], None], tmp_path: Path
) -> None:
    made = make(tmp_path)

    async def body(open_client: Any) -> None:
        with pytest.raises(CannotConnect) as caught:
            async with open_client(server.url, Session("Aki")):
                pass
        refused = caught.value.certificate
        assert refused is not None
        assert (refused.shown, refused.wanted, refused.is_own) == (made.fingerprint, None, True)
        assert f"#tls={made.fingerprint}" in caught.value.en
        assert f"#tls={made.fingerprint}" in caught.value.ja

    with serving(tls=made.context()) as server:
        under(body)
    assert server.asked == 0


@both
def test_a_certificate_that_an_authority_vouches_for_needs_no_pin(
    under: Callable[[Body], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = make(tmp_path, "authority", authority=True)
    made = make(tmp_path, by=authority)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.cert))

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await until(client, s.Opened)

    with serving(greet, tls=made.context()) as server:
        under(body)


@both
def test_an_expired_certificate_of_an_authority_is_not_one_of_its_own(
    under: Callable[[Body], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = make(tmp_path, "authority", authority=True)
    made = make(tmp_path, by=authority, days=-1)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.cert))

    async def body(open_client: Any) -> None:
        with pytest.raises(CannotConnect, match="expired") as caught:
            async with open_client(server.url, Session("Aki")):
                pass
        assert caught.value.certificate is not None
        assert not caught.value.certificate.is_own

    with serving(tls=made.context()) as server:
        under(body)


@both
def test_a_certificate_that_changes_on_the_way_ends_the_session(
    under: Callable[[Body], None], tmp_path: Path
) -> None:
    made, other = make(tmp_path), make(tmp_path, "other")
    context = made.context()

    def greet_and_change(peer: Peer) -> None:
        peer.greet()
        context.load_cert_chain(other.cert, other.key)
        peer.drop()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki"), pin=made.fingerprint) as client:
            stopped = await until(client, s.Stopped)
            assert grouped(other.fingerprint) in stopped.en
            assert grouped(made.fingerprint) in stopped.ja

    with serving(greet_and_change, tls=context) as server:
        under(body)
    assert server.asked == 1


@both
def test_without_tls_at_a_port_that_wants_it_one_is_told(
    under: Callable[[Body], None], tmp_path: Path
) -> None:
    async def body(open_client: Any) -> None:
        with pytest.raises(CannotConnect, match="wss://") as caught:
            async with open_client(server.url.replace("wss:", "ws:"), Session("Aki")):
                pass
        assert "wss://" in caught.value.ja

    with serving(tls=make(tmp_path).context()) as server:
        under(body)


@both
def test_a_pin_without_tls_is_a_mistake(under: Callable[[Body], None]) -> None:
    async def body(open_client: Any) -> None:
        with pytest.raises(ValueError, match="wss"):
            async with open_client("ws://127.0.0.1:1/ws", Session("Aki"), pin=PIN):
                pass

    under(body)


# --- bots ----------------------------------------------------------------------------------------


def test_programs_pin_by_link_or_argument_and_never_by_themselves(tmp_path: Path) -> None:
    made = make(tmp_path)
    with serving(greet, greet, tls=made.context()) as server:
        link = join_link(server.url, None, made.fingerprint)
        with connect(link) as house:
            assert house.hello.server
        with connect(server.url, pin=grouped(made.fingerprint)) as house:
            assert house.hello.server
        with pytest.raises(CannotConnect, match=f"#tls={made.fingerprint}"), connect(server.url):
            pass
        with pytest.raises(CannotConnect, match="another one"), connect(server.url, pin=OTHER):
            pass
    with pytest.raises(ValueError, match="64"), connect("wss://hall/ws", pin="1"):
        pass


def test_the_bot_takes_a_join_link(tmp_path: Path) -> None:
    made = make(tmp_path)
    with serving(host_nothing, tls=made.context()) as server:
        run = CliRunner().invoke
        link = join_link(server.url, "KAGU-7Q2F", made.fingerprint)
        assert "room_full" in run(bot, [link, "--lang", "en"]).output
        assert "KAGU-7Q2F" in [message.get("room") for message in server.heard]
        unknown = run(bot, [server.url, "--room", "KAGU-7Q2F", "--lang", "en"])
        assert f"#tls={made.fingerprint}" in unknown.output
        assert unknown.exit_code == 1
        assert run(bot, [server.url, "--lang", "en"]).exit_code == 2
        assert run(bot, [f"{server.url}#tls=1", "--lang", "en"]).exit_code == 2


# --- the terminal client -------------------------------------------------------------------------


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    home = tmp_path / "home"
    monkeypatch.setenv("KAGURADEN_HOME", str(home))

    def run(*args: str) -> Any:
        return CliRunner().invoke(play, [*args, "--lang", "en", "--plain"], input="quit\n")

    return run


def pins(tmp_path: Path) -> dict[str, str]:
    return Memory.load(tmp_path / "home").pins


def test_a_self_signed_certificate_is_kept_in_mind_and_shown_once(
    played: Callable[..., Any], tmp_path: Path
) -> None:
    made = make(tmp_path)
    with serving(host_nothing, host_nothing, host_nothing, tls=made.context()) as server:
        first = played(server.url)
        assert first.exit_code == 0
        assert grouped(made.fingerprint) in first.output
        assert first.output.count(grouped(made.fingerprint)[:47]) == 1
        assert pins(tmp_path) == {server.url: made.fingerprint}
        second = played(server.url)
        assert second.exit_code == 0
        assert grouped(made.fingerprint) not in second.output
        # Whoever types no scheme is not led to do without TLS where there was TLS before.
        assert played(server.url.removeprefix("wss://").removesuffix("/ws")).exit_code == 0


def test_a_changed_certificate_is_refused_until_the_user_accepts_it(
    played: Callable[..., Any], tmp_path: Path
) -> None:
    made, other = make(tmp_path), make(tmp_path, "other")
    context = made.context()
    with serving(host_nothing, host_nothing, host_nothing, tls=context) as server:
        played(server.url)
        context.load_cert_chain(other.cert, other.key)
        refused = played(server.url)
        assert refused.exit_code == 1
        assert grouped(made.fingerprint) in refused.output
        assert grouped(other.fingerprint) in refused.output
        assert "--trust-new-certificate" in refused.output
        assert server.asked == 1
        # A link is no reason to forget it either: anybody can write one.
        link = join_link(server.url, None, other.fingerprint)
        assert "--trust-new-certificate" in played(link).output
        assert server.asked == 1
        assert pins(tmp_path) == {server.url: made.fingerprint}
        assert played(server.url, "--trust-new-certificate").exit_code == 0
        assert pins(tmp_path) == {server.url: other.fingerprint}
        assert played(link).exit_code == 0


def test_a_link_decides_on_the_first_visit(played: Callable[..., Any], tmp_path: Path) -> None:
    made = make(tmp_path)
    with serving(host_nothing, tls=made.context()) as server:
        wrong = played(join_link(server.url, None, OTHER))
        assert grouped(OTHER) in wrong.output
        assert wrong.exit_code == 1
        assert server.asked == 0
        right = played(join_link(server.url, None, made.fingerprint))
        assert right.exit_code == 0
        assert grouped(made.fingerprint) not in right.output
        assert pins(tmp_path) == {server.url: made.fingerprint}


def test_a_certificate_that_is_not_its_own_is_not_kept_in_mind(
    played: Callable[..., Any], tmp_path: Path
) -> None:
    authority = make(tmp_path, "authority", authority=True)
    made = make(tmp_path, by=authority)
    with serving(tls=made.context()) as server:
        unknown = played(server.url)
    assert unknown.exit_code == 1
    assert f"#tls={made.fingerprint}" in unknown.output
    assert pins(tmp_path) == {}


def test_a_join_link_leads_to_its_table(played: Callable[..., Any]) -> None:
    with serving(host_nothing) as server:
        played(server.url.replace("ws:", "http:").removesuffix("/ws") + "/play?room=KAGU-7Q2F")
    assert "KAGU-7Q2F" in [message.get("room") for message in server.heard]


# --- what is not encrypted ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("ws://127.0.0.1:8765/ws", True),
        ("ws://localhost/ws", True),
        ("ws://[::1]:8765/ws", True),
        ("ws://192.168.1.5:8765/ws", False),
        ("ws://hall.local/ws", False),
        ("ws://[/ws", False),
    ],
)
def test_the_status_line_says_where_others_can_read_along(url: str, here: bool) -> None:
    assert is_here(url) == here
    for lang, words in ((Lang.EN, "no TLS"), (Lang.JA, "暗号なし")):
        for address, told in ((url, not here), (url.replace("ws:", "wss:"), False)):
            session = Session("Aki")
            session.state = s.State.OPEN
            shown = Ui(session, lang=lang, url=address).paint(80, 24, 0.0)
            assert (words in "".join(text for _, text in shown.lines[0])) == told


def test_who_goes_where_others_can_read_along_is_told_at_the_start(
    played: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(host_nothing, host_nothing) as server:
        assert "not encrypted" not in played(server.url).output
        monkeypatch.setattr(ui, "is_here", lambda _url: False)
        assert "This connection is not encrypted." in played(server.url).output


def test_refusals_are_tls_errors() -> None:
    refused = CertificateRefused(PIN, None)
    assert isinstance(refused, ssl.SSLError)
    assert shell.explain(refused, "wss://hall/ws").final
