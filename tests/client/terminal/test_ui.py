"""The full-screen client without a terminal: keys in, requests out, screens as text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaguraden_client.session import Session
from kaguraden_client.terminal.text import line_width, plain_text
from kaguraden_client.terminal.ui import Plan, Quit, RememberName, RememberToken, Ui
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import codec, messages
from kaguraden_rules.odoriko.options import options_schema

from tests.client.scripts import ROOM, Script, info, update

from .tables import CATALOG, action_decision, auction_decision, view

Json = Any
WINDOWS = [
    {
        "kind": "j",
        "name": {"ja": "Jの機会", "en": "Taking with J"},
        "text": {"ja": "捨てられた資源", "en": "When resource cards are discarded."},
        "passes": False,
    }
]
GAMES = [
    {
        "id": "odoriko",
        "rules": "1",
        "seats": {"min": 2, "max": 6},
        "name": {"ja": "踊り子", "en": "Odoriko"},
        "options": options_schema(),
        "windows": WINDOWS,
    }
]
TYPED_KEYS = [
    "0",
    "1",
    "2",
    "3",
    "9",
    "enter",
    "escape",
    "space",
    "up",
    "down",
    "left",
    "right",
    "pageup",
    "pagedown",
    "home",
    "end",
    "tab",
    "backtab",
    "backspace",
    "delete",
    "f1",
    "f2",
    "f3",
    "f4",
    "f9",
    "?",
    "a",
    "p",
    "r",
    "s",
    "b",
    "o",
    "n",
    "c",
    "w",
    "l",
    "k",
    "h",
    "q",
    "/",
    "N",
    "x",
    "c-c",
    "c-u",
    "f7",
]


class Player:
    """A `Ui` with the server's end of its session in hand."""

    def __init__(self, **changes: Any) -> None:
        self.script = Script(Session("Aki"))
        self.ui = Ui(self.script.session, url="ws://hall:1/ws", **changes)

    def tell(self, events: list[Any]) -> None:
        for event in events:
            self.ui.happened(event, self.script.now)

    def say(self, message: dict[str, Json]) -> None:
        self.tell(self.script.say(message))

    def ok(self, request: messages.Request, **result: Json) -> None:
        self.tell(self.script.ok(request, **result))

    def asked(self) -> list[messages.Request]:
        return self.script.asked()

    def one(self, kind: type[messages.Request]) -> Any:
        """Return the only request of a kind among those sent now."""
        (request,) = [r for r in self.asked() if isinstance(r, kind)]
        return request

    def open(self, **changes: Any) -> None:
        self.script.connect()
        (hello,) = self.asked()
        told = {
            "user": "u0",
            "token": "t" * 32,
            "resumed": False,
            "server": {"name": "hall", "version": "1"},
            "protocol": "1.0",
            "capabilities": [],
            "limits": {},
            "games": GAMES,
            "rooms": [],
            **changes,
        }
        self.ok(hello, **told)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.ui.press(key, self.script.now)

    def screen(self, columns: int = 80, lines: int = 24) -> str:
        body = self.ui.paint(columns, lines, self.script.now)
        assert len(body.lines) == lines
        assert {line_width(line) for line in body.lines} == {columns}
        if body.cursor is not None:
            assert 0 <= body.cursor[0] < columns
            assert 0 <= body.cursor[1] < lines
        return plain_text(body.lines)

    def sit(self, *, phase: str = "lobby", **changes: Any) -> None:
        """Open, create a room, and take its first push."""
        self.open()
        self.asked()
        self.ui.create(messages.Create(id=0, game="odoriko"), 0, None, start=False)
        self.ok(self.one(messages.Create), room=ROOM, seat=0)
        self.push(phase=phase, **changes)
        for request in self.asked():
            if isinstance(request, messages.Catalog):
                self.ok(request, **CATALOG)

    def push(self, **changes: Any) -> None:
        seats = [
            {"seat": 0, "user": "u0", "name": "Aki", "host": True},
            {"seat": 1, "user": "u1", "name": "Bea", "ready": True},
            {"seat": 2, "user": "u2", "name": "Cho", "bot": "greedy", "ready": True},
        ]
        self.say({"type": "room", "room": ROOM, "info": info(**{"seats": seats, **changes})})

    def play(self, *decisions: messages.Decision, seq: int = 1, **changes: Any) -> None:
        """Take an update with a table of three."""
        told = update(
            seq,
            full=seq == 1,
            view=view(3, **changes.pop("view", {})),
            decisions=[codec_decision(d) for d in decisions],
            events=changes.pop("events", []),
            clock=changes.pop("clock", []),
        )
        self.say({**told, **changes})


def codec_decision(decision: messages.Decision) -> dict[str, Json]:
    text = codec.to_wire(messages.Update("R", 1, False, (), (decision,), ()))
    plain: dict[str, Json] = text["decisions"][0]  # type: ignore[index,assignment]
    return plain


def playing(*decisions: messages.Decision, **changes: Any) -> Player:
    player = Player()
    player.sit(phase="playing")
    player.play(*(decisions or (action_decision(),)), **changes)
    return player


# --- the lobby --------------------------------------------------------------------------------


def test_the_lobby_lists_tables_and_joins_by_digit() -> None:
    player = Player()
    player.open()
    player.ok(
        player.one(messages.Rooms), rooms=[info("KAGU-AAAA"), info("KAGU-BBBB", title="Friday")]
    )
    screen = player.screen()
    assert " ❯1 KAGU-AAAA  Odoriko      1 free      Aki" in screen
    assert "KAGU-BBBB" in screen
    assert "Friday" in screen
    player.press("2")
    join = player.one(messages.Join)
    assert (join.room, join.as_) == ("KAGU-BBBB", messages.Role.PLAYER)
    player.press("w")
    assert player.one(messages.Join).as_ is messages.Role.SPECTATOR


def test_a_pushed_lobby_replaces_the_list() -> None:
    player = Player()
    player.open()
    player.say({"type": "lobby", "rooms": [info("KAGU-NEW1")]})
    assert "KAGU-NEW1" in player.screen()
    player.say({"type": "lobby", "rooms": []})
    assert "No table is open at the moment." in player.screen()


def test_a_code_is_typed_in_any_case() -> None:
    player = Player()
    player.open()
    player.asked()
    player.press("c", *"kagu-7q2f")
    assert "the table's code (such as KAGU-7Q2F): kagu-7q2f" in player.screen()
    player.press("enter")
    assert player.one(messages.Join).room == "KAGU-7Q2F"


def test_b_makes_a_table_with_bots_and_starts_when_all_are_ready() -> None:
    player = Player(quick_level="greedy", quick_options={"bid_max": 9})
    player.open()
    player.asked()
    player.press("b")
    create = player.one(messages.Create)
    assert (create.seats, create.options) == (4, {"bid_max": 9})
    player.ok(create, room=ROOM, seat=0)
    requests = player.asked()
    assert [type(r) for r in requests] == [messages.Bot] * 3 + [messages.Ready]
    ready = requests[-1]
    assert isinstance(ready, messages.Ready)
    assert ready.nonce is not None
    seats = [{"seat": 0, "user": "u0", "name": "Aki", "host": True, "ready": True}, {"seat": 1}]
    player.push(seats=seats)
    assert not [r for r in player.asked() if isinstance(r, messages.Start)]
    seats[1] = {"seat": 1, "user": "u1", "name": "Bot", "bot": "greedy", "ready": True}
    player.push(seats=seats)
    assert player.one(messages.Start).room == ROOM
    player.push(seats=seats)
    assert not [r for r in player.asked() if isinstance(r, messages.Start)], "started twice"


def test_a_plan_to_join_is_carried_out_once() -> None:
    player = Player(plan=Plan(room="KAGU-7Q2F", watch=True))
    player.open()
    join = player.one(messages.Join)
    assert (join.room, join.as_) == ("KAGU-7Q2F", messages.Role.SPECTATOR)


def test_a_seat_kept_by_the_server_is_taken_again_at_once() -> None:
    player = Player()
    player.open(resumed=True, rooms=[{"room": ROOM, "seat": 0, "last_seq": 3}])
    assert player.ui.room == ROOM
    assert player.one(messages.Sync).room == ROOM
    assert RememberToken("t" * 32) in player.ui.effects
    assert RememberName("Aki") in player.ui.effects


def test_the_form_makes_a_table_with_the_options_that_were_changed() -> None:
    player = Player()
    player.open()
    player.asked()
    player.press("n")
    assert "a new table" in player.screen()
    player.press("down", *"Friday", "down", "left", "down", "right", "down", "down", "down", "down")
    screen = player.screen()
    assert "❯ events" in screen
    assert "‹ house set ›" in screen
    player.press("right", "pagedown", "enter")
    create = player.one(messages.Create)
    assert (create.title, create.seats, create.listed) == ("Friday", 3, True)
    assert create.options == {"events": "none"}
    player.ok(create, room=ROOM, seat=0)
    assert [r.level for r in player.asked() if isinstance(r, messages.Bot)] == ["greedy"]


def test_a_locked_table_asks_for_its_password_and_hides_it() -> None:
    player = Player()
    player.open()
    player.ok(player.one(messages.Rooms), rooms=[info("KAGU-LOCK", locked=True)])
    assert "locked" in player.screen()
    player.press("1")
    player.tell(player.script.error(player.one(messages.Join), "bad_password"))
    player.press(*"geheim")
    assert "geheim" not in player.screen()
    player.press("enter")
    assert player.one(messages.Join).password == "geheim"  # noqa: S105


def test_a_refused_name_is_asked_for_again() -> None:
    player = Player()
    player.script.connect()
    (hello,) = player.asked()
    player.tell(player.script.error(hello, "bad_name"))
    assert "your name: Aki" in player.screen()
    player.press("c-u", *"Bea", "enter")
    (hello,) = player.asked()
    assert isinstance(hello, messages.Hello)
    assert hello.name == "Bea"


# --- a room before its game ---------------------------------------------------------------------


def test_a_room_shows_seats_options_and_what_is_missing() -> None:
    player = Player()
    player.sit(options={"bid_max": 9, "events": "house"})
    screen = player.screen()
    assert " code KAGU-7Q2F" in screen
    assert "kaguraden play ws://hall:1/ws --room KAGU-7Q2F" in screen
    assert "  1 Aki                   you  host  not ready" in screen
    assert "  3 Cho                   bot (greedy)  ready" in screen
    assert "options that differ from the standard: highest declaration 9" in screen
    assert "r says that you are ready." in screen
    player.press("r")
    assert player.one(messages.Ready).ready is True


def test_the_host_adds_bots_changes_options_and_starts() -> None:
    player = Player()
    player.sit()
    player.press("b", "s")
    assert [type(r) for r in player.asked()] == [messages.Bot, messages.Start]
    player.press("o", "right", "pagedown", "enter")
    configure = player.one(messages.Configure)
    assert configure.options["events"] == "none"
    player.press("f4", "down", "k", "h", "escape")
    kick, host = player.asked()
    assert isinstance(kick, messages.Kick)
    assert isinstance(host, messages.Host)
    assert (kick.seat, host.seat) == (1, 1)


def test_a_refused_start_says_why() -> None:
    player = Player()
    player.sit()
    player.press("s")
    player.tell(player.script.error(player.one(messages.Start), "not_ready"))
    assert "that did not work: not ready" in player.screen()


# --- at the table -------------------------------------------------------------------------------


def test_the_table_log_hand_and_menu_are_on_one_screen() -> None:
    player = playing(
        events=[{"kind": "turn_started", "seat": 0, "actions": 2}],
        clock=[{"seat": 0, "decision": "0.7", "left_ms": 23_400, "total_ms": 60_000}],
    )
    assert (
        player.screen()
        == """\
 Kaguraden KAGU-7Q2F · Odoriko · 2nd half · turn: Aki (2 left)     online  0:24
 on fields 9 of 20 · set aside 1
▶1 Aki    VP   3  hand ▮▮▯   decks 11+10  pile  4 4♥  you
   song  tree 19  9♥ 10♦ ‹Il Ariel ★FC›
   dance tree 15  7♠ 8♣
 2 Bea    VP  −2  hand ▮▮▮▯  decks 12+9   pile  1 Q♦
   song  tree 2   2♥ ‹Romage ★FC ◆kept›
   dance tree 13  10♣ 3♠ ‹Annie›
 3 Cho    VP  12  hand ▮▯    decks 11+10  pile  0
   song  tree 6   ‹Heliodia ◆kept› 6♦
   dance tree 2   2♣
─ log ──────────────────────────────────────────────────────────────────────────
 Aki's turn.




─ your turn · 2 actions left ──────────────────────────────────────────── 0:24 ─
 your hand  4♠  Q♦  ‹Krilkritol›
❯1 draw from the resource deck           2 draw from the character deck
 3 place…                                4 sell…
 5 discard…                              0 end the turn with 2 actions left
 at 0:00: end the turn with 2 actions left
 ? explain a auto Tab chat F1 rules F2 日本語 F3 log F4 seats F9 hide ^C leave"""
    )


def test_a_chosen_option_is_sent_once_and_shown_as_sent() -> None:
    player = playing()
    player.press("1", "1", "1")
    act = player.one(messages.Act)
    assert (act.room, act.decision, act.option) == (ROOM, "0.7", "draw:resource")
    assert "sent: draw from the resource deck" in player.screen()
    player.play(auction_decision(), seq=2)
    player.ok(act, seq=2)
    assert "❯1 bid 3" in player.screen()


def test_a_stale_answer_says_what_happened_instead() -> None:
    player = playing(auction_decision())
    player.press("1")
    act = player.one(messages.Act)
    player.play(
        auction_decision(4, 4), seq=2, events=[{"kind": "auction_bid", "seat": 2, "number": 3}]
    )
    player.tell(player.script.error(act, "stale", current=["0.4"]))
    assert "Cho bids 3." in player.screen()
    assert player.ui.menu.sent is None


def test_a_digit_meant_for_the_question_before_is_not_taken() -> None:
    player = playing(auction_decision(3, 4))
    player.play(auction_decision(4, 4), seq=2)
    player.press("1")
    assert player.asked() == []
    assert "that key was not taken" in player.screen()
    player.script.now += 1
    player.press("1")
    assert player.one(messages.Act).value == 4


def test_the_countdown_runs_between_updates() -> None:
    player = playing(clock=[{"seat": 0, "decision": "0.7", "left_ms": 61_000, "total_ms": 90_000}])
    assert "1:01" in player.screen()
    player.script.now += 54.5
    assert "0:07" in player.screen()
    player.script.now += 60
    assert "0:00" in player.screen()


def test_keys_pressed_while_offline_are_kept_and_sent_once() -> None:
    player = playing()
    player.tell(player.script.lose())
    assert "offline, reconnecting" in player.screen()
    player.press("2", "2")
    assert "will be sent when the connection is back" in player.screen()
    assert player.asked() == []
    player.script.connect()
    (hello,) = player.asked()
    assert isinstance(hello, messages.Hello)
    rooms = [{"room": ROOM, "seat": 0, "last_seq": 1}]
    player.ok(
        hello, user="u0", token="s" * 32, resumed=True, server={"name": "hall", "version": "1"},
        protocol="1.0", capabilities=[], limits={}, games=GAMES, rooms=rooms,
    )  # fmt: skip
    acts = [r for r in player.asked() if isinstance(r, messages.Act)]
    assert [a.option for a in acts] == ["draw:character"]
    assert "catching up…" in player.screen()


def test_ending_the_turn_early_waits_for_enter() -> None:
    player = playing()
    player.press("0")
    assert "end the turn with 2 actions left — are you sure?" in player.screen()
    assert player.asked() == []
    player.press("enter")
    assert player.one(messages.Act).option == "end_turn"


def test_f2_switches_the_language_in_the_middle_of_choosing() -> None:
    player = playing()
    player.press("4", "1")
    assert "sell › resource:" in player.screen()
    player.press("f2")
    screen = player.screen()
    assert "売る › 資源:" in screen
    assert "4枚から" in screen
    assert player.ui.lang is Lang.JA


def test_f9_hides_the_hand_at_once_and_shows_it_again() -> None:
    player = playing()
    assert "4♠" in player.screen()
    player.press("f9")
    hidden = player.screen()
    assert "4♠" not in hidden
    assert "your cards are hidden (F9 shows them)" in hidden
    player.press("f9")
    assert "4♠" in player.screen()


def test_chat_goes_out_and_comes_into_the_log() -> None:
    player = playing()
    player.press("tab", *"hi all", "enter")
    assert player.one(messages.Chat).text == "hi all"
    sender = {"user": "u1", "name": "Bea", "seat": 1}
    player.say({"type": "chat", "room": ROOM, "n": 1, "from": sender, "text": "\x1b[31mhello"})
    assert "» Bea: [31mhello" in player.screen()
    player.press("tab", "1", "escape")
    assert player.asked() == []


def test_the_log_is_searched() -> None:
    events = [{"kind": "auction_bid", "seat": 2, "number": n} for n in range(60)]
    player = playing(events=events)
    player.press("f3")
    assert "Cho bids 59." in player.screen()
    assert "Cho bids 7." not in player.screen()
    player.press("/", *"bids 7.", "enter")
    screen = player.screen()
    assert "Cho bids 7." in screen
    assert "1 found" in screen
    player.press("escape", "escape")
    assert "▶1 Aki" in player.screen()


def test_standing_answers_are_set_by_digit() -> None:
    player = playing()
    player.press("a")
    assert "1 [ask me] Taking with J" in player.screen()
    player.press("1")
    auto = player.one(messages.Auto)
    assert (auto.window, auto.mode) == ("j", messages.Mode.PASS)
    player.ok(auto)
    assert "[pass] Taking with J" in player.screen()


def test_question_mark_explains_what_is_under_the_cursor() -> None:
    player = playing()
    player.press("down", "?")
    assert "Draw the top card of a deck." in player.screen()
    player.press("?")
    assert "▶1 Aki" in player.screen()


# --- how to play --------------------------------------------------------------------------------


def test_f1_shows_the_rulebook_in_the_players_language() -> None:
    player = playing()
    player.press("f1")
    assert "■ Odoriko: the players' rulebook" in player.screen()
    player.press("f2")
    assert "■ 踊り子 ルールブック" in player.screen()
    player.press("f2", "pagedown")
    assert "■ Odoriko" not in player.screen()
    player.press("end")
    assert "Packing for the Road" in player.screen()
    player.press("f1")
    assert "▶1 Aki" in player.screen()


def test_the_rulebook_is_read_by_sections() -> None:
    player = playing()
    player.press("f1")
    player.screen()
    player.press(*["right"] * 9)
    assert player.screen().split("\n")[1] == " ■ 9. Auctions"
    player.press("f2")
    assert player.screen().split("\n")[1] == " ■ 9. オークション", "the same section"
    assert player.screen(40).split("\n")[1] == " ■ 9. オークション"
    player.press("f2", "down", "left")
    assert player.screen().split("\n")[1] == " ■ 9. Auctions"
    player.press("left")
    assert player.screen().split("\n")[1] == " ■ 8. Special cards"
    player.press(*["right"] * 30)
    assert "Packing for the Road" in player.screen() or "─ the cards" in player.screen()


def test_tab_shows_the_game_in_short_with_signs_and_keys() -> None:
    player = playing()
    player.press("f1", "end", "tab")
    screen = player.screen()
    assert "odoriko: dancers" in screen
    assert "Tab rulebook" in screen
    assert "0 is what happens anyway when the time is up." in player.screen(lines=90)
    player.press("end")
    assert "Packing for the Road" in player.screen()
    player.press("tab")
    assert "■ Odoriko: the players' rulebook" in player.screen()


def test_without_a_rulebook_f1_shows_the_game_in_short() -> None:
    player = Player()
    player.open()
    player.press("f1")
    catalog = player.one(messages.Catalog)
    screen = player.screen()
    assert "odoriko: dancers" in screen
    assert "Tab" not in screen
    player.ok(catalog, **{key: CATALOG[key] for key in ("version", "packs", "cards")})
    player.press("tab")
    assert "odoriko: dancers" in player.screen()
    player.press("end")
    assert "Packing for the Road" in player.screen()


def test_a_rulebook_in_one_language_is_shown_in_both() -> None:
    player = Player()
    player.open()
    player.press("f1")
    book = {"ja": "# 踊り\x1b[2J", "en": ""}
    player.ok(player.one(messages.Catalog), **{**CATALOG, "rulebook": book})
    assert "■ 踊り[2J" in player.screen()


def test_ctrl_c_asks_and_twice_leaves() -> None:
    player = playing()
    player.press("c-c")
    assert "Your seat is kept" in player.screen()
    player.press("escape")
    assert "▶1 Aki" in player.screen()
    player.press("c-c", "c-c")
    assert Quit() in player.ui.effects
    assert player.asked() == []


def test_leaving_the_table_gives_up_the_seat() -> None:
    player = playing()
    player.press("c-c", "l")
    assert player.one(messages.Leave).room == ROOM
    assert "lobby" in player.screen()


def test_the_end_shows_the_ranking_and_offers_a_rematch() -> None:
    player = playing()
    ranking = [{"seat": s, "rank": s + 1, "score": 9 - s} for s in range(3)]
    player.play(seq=2, view={"outcome": {"ranking": ranking, "reason": "final"}, "phase": "over"})
    screen = player.screen()
    assert " 1.  Aki  9 points" in screen
    assert " 3.  Cho  7 points" in screen
    player.press("r")
    rematch = player.one(messages.Rematch)
    player.ok(rematch, room="KAGU-NEXT")
    assert player.ui.room == "KAGU-NEXT"


def test_a_rematch_that_somebody_else_asked_for_is_followed() -> None:
    player = playing()
    player.play(seq=2, view={"outcome": {"ranking": [], "reason": "final"}, "phase": "over"})
    player.say({"type": "room", "room": "KAGU-NEXT", "info": info("KAGU-NEXT")})
    assert player.ui.room == "KAGU-NEXT"


@pytest.mark.parametrize(
    ("commitment", "nonces", "words"),
    [
        ("c" * 64, ["", "aa"], "the server's promise is unchanged"),
        ("d" * 64, ["", "aa"], "WARNING"),
    ],
)
def test_the_promise_about_the_deal_is_checked(
    commitment: str, nonces: list[str], words: str
) -> None:
    event = {"kind": "fairness", "commitment": commitment, "nonces": nonces}
    assert words in playing(events=[event]).screen()


def test_shrinking_to_20_by_5_and_back_loses_nothing() -> None:
    player = playing(events=[{"kind": "turn_started", "seat": 0, "actions": 2}])
    player.press("4", "1", "2", "space")
    before = player.screen()
    small = player.screen(20, 5)
    assert "[x]" in small
    for size in ((1, 1), (2, 2), (200, 60), (20, 5)):
        player.screen(*size)
    assert player.screen() == before


def test_a_server_that_is_gone_for_good_says_so() -> None:
    player = playing()
    player.tell(player.script.lose(4005, "removed"))
    assert "the connection is over" in player.screen()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(TYPED_KEYS), st.sampled_from(["歌", "é", "~"])), max_size=25
    ),
    st.sampled_from([(80, 24), (120, 40), (20, 5), (41, 9)]),
    st.sampled_from(["lobby", "room", "table"]),
)
def test_no_sequence_of_keys_breaks_the_screen(
    keys: list[str], size: tuple[int, int], where: str
) -> None:
    player = Player()
    if where == "lobby":
        player.open()
    elif where == "room":
        player.sit()
    else:
        player = playing()
    for key in keys:
        player.press(key)
        player.screen(*size)
        player.asked()
