"""The list of servers: what it shows, and where its keys lead."""

from __future__ import annotations

import pytest
from kaguraden_client.discovery import Reach, Search, Seen, Server
from kaguraden_client.links import Link
from kaguraden_client.terminal.finding import Own
from kaguraden_client.terminal.screens.servers import Code, Servers
from kaguraden_client.terminal.text import line_text, line_width
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol.announcement import Announcement
from kaguraden_protocol.messages import RoomInfo, SeatInfo

HALL = Link("ws://192.168.1.20:8765/ws")
OLD = Link("ws://10.0.0.1:8765/ws")


def room(code: str, *names: str, seats: int = 4, phase: str = "lobby") -> RoomInfo:
    taken = [SeatInfo(i, user=f"u{i}", name=name) for i, name in enumerate(names)]
    free = [SeatInfo(i) for i in range(len(names), seats)]
    return RoomInfo(code, "odoriko", phase, (*taken, *free), 0, {}, False, 0, "")


def screen(*seen: Seen, lang: Lang = Lang.EN, reach: Reach = Reach.HEARD) -> Servers:
    made = Servers(lang, "kaguraden", Search())
    made.search.seen.update({str(i): one for i, one in enumerate(seen)})
    made.search.reach = reach
    made.search.is_over = True
    return made


def hall(*rooms: RoomInfo, name: str = "Hall") -> Seen:
    server = Server(name, (HALL,), Announcement(name, "1", ("odoriko",)))
    return Seen(server, HALL, rooms, is_asked=False)


def old(*, is_there: bool) -> Seen:
    return Seen(Server("10.0.0.1:8765", (OLD,)), OLD if is_there else None, is_asked=False)


def text(made: Servers, cells: int = 80, height: int = 24) -> str:
    body = made.paint(cells, height, 0)
    assert len(body.lines) == height
    assert all(line_width(line) == cells for line in body.lines)
    return "\n".join(line_text(line).rstrip() for line in body.lines)


def press(made: Servers, keys: str) -> None:
    for key in keys:
        made.press(key, 0)


def test_servers_are_listed_with_their_tables_and_free_seats() -> None:
    shown = text(
        screen(
            hall(room("KAGU-7Q2F", "Aki"), room("MAI-2222", phase="playing")), old(is_there=True)
        )
    )
    assert " servers in this network" in shown
    assert "❯1 Hall 192.168.1.20:8765 · tables 1, free seats 3" in shown
    assert "  2   KAGU-7Q2F odoriko 3 free Aki" in shown
    assert "MAI-2222" not in shown, "nobody can join it"
    assert " servers you have been to" in shown
    assert "  3 10.0.0.1:8765 · tables 0, free seats 0" in shown
    assert "  4 start a server of your own" in shown


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        (["enter"], HALL),
        (["1"], HALL),
        (["2"], Link(HALL.url, "KAGU-7Q2F")),
        (["down", "enter"], Link(HALL.url, "KAGU-7Q2F")),
        (["4"], Own()),
        (["o"], Own()),
        ([*"ckagu-7q2f", "enter"], Code("KAGU-7Q2F")),
        ([*"a10.1.1.1:99", "enter"], Link("ws://10.1.1.1:99/ws")),
        ([*"ahttp://h:1/play?room=mai-2", "enter"], Link("ws://h:1/ws", "MAI-2")),
        (["c-c"], None),
        (["c", "escape", "q"], None),
    ],
)
def test_a_key_leads_where_the_list_says(keys: list[str], choice: object) -> None:
    made = screen(hall(room("KAGU-7Q2F", "Aki")), old(is_there=True))
    for key in keys:
        assert not made.is_over
        made.press(key, 0)
    assert made.is_over
    assert made.choice == choice


def test_enter_alone_goes_to_nobody_who_does_not_answer() -> None:
    made = screen(old(is_there=False))
    assert "1 10.0.0.1:8765 · no answer" in text(made)
    made.press("enter", 0)
    assert made.choice == Own()


@pytest.mark.parametrize(
    ("reach", "ja", "en"),
    [
        (Reach.NO_NETWORK, "どのネットワークにもつながっていません", "in no network"),
        (Reach.NOT_SENT, "マルチキャスト（mDNS）を送れません", "does not let multicast"),
        (Reach.SILENT, "通さないかもしれません", "may block multicast"),
        (Reach.HEARD, "名乗っているサーバーはありません", "No server announces itself"),
    ],
)
def test_why_there_is_nobody_is_said_with_the_way_around(reach: Reach, ja: str, en: str) -> None:
    said = [text(screen(lang=lang, reach=reach), cells=200) for lang in (Lang.JA, Lang.EN)]
    assert ja in said[0]
    assert "kaguraden play アドレス" in said[0]
    assert en in said[1]
    assert "kaguraden play ADDRESS" in said[1]


@pytest.mark.parametrize("lang", list(Lang))
def test_who_types_an_address_sees_the_whole_of_an_example(lang: Lang) -> None:
    made = screen(lang=lang)
    press(made, "a192.168.1.20:8765")
    shown = text(made, cells=60)
    assert " 192.168.1.5:8765" in shown
    assert " 192.168.1.20:8765" in shown
    assert "…" not in shown
    assert ":: " not in shown


def test_a_wrong_link_is_told_and_can_be_typed_again() -> None:
    made = screen()
    press(made, "ahttp://h/play#tls=zz")
    made.press("enter", 0)
    assert "that is no address" in text(made)
    assert not made.is_over


def test_what_came_over_the_net_is_cleaned_and_fits_any_screen() -> None:
    bad = "\x1b]0;owned\x07\u202eevil\n" + "長" * 300
    made = screen(hall(*(room(bad, bad) for _ in range(50)), name=bad))
    for size in ((80, 24), (20, 5), (1, 1)):
        assert all(c.isprintable() or c == "\n" for c in text(made, *size))
    assert text(made).count("owned") <= 12


def test_a_digit_is_not_taken_for_what_came_in_under_it_a_moment_ago() -> None:
    made = screen(old(is_there=True))
    made.paint(80, 24, 0.0)
    made.search.seen["hall"] = hall()
    made.paint(80, 24, 10.0)
    made.press("1", 10.1)
    assert not made.is_over, "it was the other server"
    made.press("3", 10.1)  # it was nothing
    assert made.choice == Own()
    made = screen(old(is_there=True))
    made.paint(80, 24, 0.0)
    made.search.seen["hall"] = hall()
    made.paint(80, 24, 10.0)
    made.press("1", 10.5)
    assert made.choice == HALL
