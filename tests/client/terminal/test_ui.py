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
        self.script = Script(Session("Aki", patient=changes.pop("patient", False)))
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
    assert RememberToken("t" * 32, "Aki") in player.ui.effects
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
    assert "wrong" not in player.screen()
    player.press("enter")
    join = player.one(messages.Join)
    assert join.password == "geheim"  # noqa: S105
    player.tell(player.script.error(join, "bad_password"))
    assert "the password is wrong" in player.screen()


def test_the_servers_password_is_asked_for_without_reproach_and_again_if_it_was_wrong() -> None:
    player = Player(patient=True)
    player.script.connect()
    player.tell(player.script.error(player.asked()[0], "bad_password"))
    player.tell(player.script.lose(4005))
    screen = player.screen()
    assert "the server's password:" in screen
    assert "waiting for you" in screen
    assert "wrong" not in screen
    assert "over" not in screen
    player.press(*"sesam", "enter")
    player.script.connect()
    (hello,) = player.asked()
    assert isinstance(hello, messages.Hello)
    assert hello.password == "sesam"  # noqa: S105
    player.tell(player.script.error(hello, "bad_password"))
    assert "the password is wrong" in player.screen()


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


def test_a_bot_sits_down_where_there_is_room() -> None:
    player = Player()
    player.sit(
        seats=[
            {"seat": 0, "user": "u0", "name": "Aki", "host": True},
            {"seat": 1, "user": "u1", "name": "Bea", "away": True},
            {"seat": 2},
        ]
    )
    player.press("f4", "b", "down", "b", "down", "b")
    asked = [r.seat for r in player.asked() if isinstance(r, messages.Bot)]
    assert asked == [None, 1, 2]


def test_the_host_adds_bots_changes_options_and_starts() -> None:
    player = Player()
    player.sit()
    player.press("b", "s")
    assert [type(r) for r in player.asked()] == [messages.Bot, messages.Start]
    player.press("o", "right", "pagedown", "enter")
    configure = player.one(messages.Configure)
    assert configure.options["events"] == "none"
    player.press("f4", "down", "k")
    assert "Remove Bea from the table?" in player.screen()
    player.press("k", "escape", "h")
    assert "Make Bea the host?" in player.screen()
    player.press("escape")
    assert player.asked() == []
    player.press("k", "enter", "h", "enter", "escape")
    kick, host = player.asked()
    assert isinstance(kick, messages.Kick)
    assert isinstance(host, messages.Host)
    assert (kick.seat, host.seat) == (1, 1)


def test_a_refused_start_says_why() -> None:
    player = Player()
    player.sit()
    player.press("s")
    player.tell(player.script.error(player.one(messages.Start), "not_ready", unready=[0, 2]))
    assert "not everything is ready yet (seats not ready: 1, 3)" in player.screen()


# --- at the table -------------------------------------------------------------------------------


def test_the_table_log_hand_and_menu_are_on_one_screen() -> None:
    player = playing(
        events=[{"kind": "turn_started", "seat": 0, "actions": 2}],
        clock=[{"seat": 0, "decision": "0.7", "left_ms": 23_400, "total_ms": 60_000}],
    )
    assert (
        player.screen()
        == """\
 Kaguraden KAGU-7Q2F · Odoriko · 2nd half · turn: Aki (2 left)     no TLS  0:24
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



─ your turn · 2 actions left ───────────────────────────── p stop clocks  0:24 ─
 your hand  4♠  Q♦  ‹Krilkritol›
❯1 draw from the resource deck           2 draw from the character deck
 3 place…                                5 sell…
 6 discard…                              0 end the turn with 2 actions left
 at 0:00: end the turn with 2 actions left
 Two actions a turn. ? explains the move at ❯, F1 the whole game.
 ? explain a auto F9 hide Tab chat F1 rules F2 日本語 F3 log F4 seats ^C leave"""
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
    assert "not sent yet: draw from the character deck" in player.screen()
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
    player.press("5", "1")
    assert "sell › for resource cards:" in player.screen()
    player.press("f2")
    screen = player.screen()
    assert "売る › 資源と引き換え:" in screen
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


SECRETS = ("4♠", "4S", "QD", "Krilkritol", "10♠", "10S")  # QD and 9D lie in piles too


def test_f9_hides_what_the_menu_the_log_and_explanations_tell_of_the_hand() -> None:
    events = [
        {"kind": "card_drawn", "seat": 0, "deck": "resource", "left": 4, "card": "4S"},
        {"kind": "card_drawn", "seat": 0, "deck": "character", "left": 4, "card": "cc003"},
        {
            "kind": "cards_exchanged", "seller": 1, "winner": 0, "lot": ["2H"],
            "price_kind": "either", "number": 2, "payment": ["10S", "9D"],
        },
        {"kind": "unheard_of", "seat": 0, "card": "4S", "cards": [{"card": "QD"}, "10S"]},
    ]  # fmt: skip
    player = playing(events=events, view={"you": {"hand": ["4S", "QD", "cc003"], "deck": []}})
    player.press("3")
    assert all(word in player.screen(100, 40) for word in ("4♠", "Q♦", "Krilkritol", "10♠"))
    player.press("f9")

    def assert_hidden() -> str:
        screen = player.screen(100, 40)
        assert not [word for word in SECRETS if word in screen], screen
        return screen

    assert "hidden" in assert_hidden()
    for page in ("?", "f3", "f4"):
        player.press(page)
        assert_hidden()
        player.press("escape")
    for key in ("1", "2", "enter", "down", "0", "space"):
        player.press(key)
        assert "F9 shows it, and then you can answer" in assert_hidden()
    assert player.asked() == []
    player.press("f9", "escape", "1", "1", "f9")
    player.one(messages.Act)
    assert "You have answered." in assert_hidden()


def test_f9_hides_the_values_that_are_being_ticked() -> None:
    player = playing()
    player.press("5", "1", "2", "space")
    assert "[x] 4♠" in player.screen()
    player.press("f9")
    screen = player.screen()
    assert not [word for word in SECRETS if word in screen], screen
    player.press("space", "enter")
    assert player.asked() == []


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
    assert "While the server runs, start again to come back" in player.screen()
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
        ("c" * 64, ["", "aa"], "your random number is in it"),
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
    player.press("5", "1", "2", "space")
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


def test_the_lobby_has_no_tables_of_others_that_are_over() -> None:
    player = Player()
    player.open()
    over = info("KAGU-OVER", phase="over")
    player.ok(player.one(messages.Rooms), rooms=[over, info("KAGU-AAAA")])
    assert "KAGU-OVER" not in player.screen()
    player.press("1")
    assert player.one(messages.Join).room == "KAGU-AAAA"


# --- what a newcomer stumbles over --------------------------------------------------------------

CLOCK = {"seat": 0, "decision": "0.7", "left_ms": 20_000, "total_ms": 90_000, "bank_ms": 120_000}


def test_the_spare_time_is_shown_and_runs_when_the_time_is_up() -> None:
    player = playing(clock=[CLOCK])
    assert "p stop clocks  0:20 +2:00 spare ─" in player.screen()
    assert player.screen().splitlines()[0].endswith("no TLS  0:20")
    player.script.now += 50
    assert "spare time 1:30" in player.screen()
    paused = playing(clock=[{**CLOCK, "paused": True}])
    assert "clocks stopped" in paused.screen()


def test_of_a_clock_that_stands_and_one_that_runs_the_latter_is_shown() -> None:
    """YU-102: a turn's clock stands while another seat is asked for its consent."""
    held = {"seat": 1, "left_ms": 9_000, "total_ms": 75_000, "paused": True}
    consent = {"seat": 2, "left_ms": 21_000, "total_ms": 30_000}
    assert "0:21" in playing(clock=[held, consent]).screen()


def test_clocks_are_stopped_only_where_there_are_some() -> None:
    """The clock of a book of the day is the day: nobody can stop that."""
    player = playing()
    assert "stop clocks" not in player.screen(140, 30)
    player.press("p")
    assert player.asked() == []
    day = {"seat": None, "left_ms": 50_000_000, "total_ms": 50_000_000}
    player = playing(clock=[day], view={"table": {"daily": True}})
    assert "13:53:20" in player.screen(140, 30)
    assert "stop clocks" not in player.screen(140, 30)
    player.press("p")
    assert player.asked() == []
    player = playing(clock=[day, CLOCK], view={"table": {"daily": True}})
    assert "stop clocks" in player.screen(140, 30)
    player.press("p")
    assert player.one(messages.Pause).on


def test_without_a_connection_nothing_looks_live() -> None:
    player = playing(clock=[CLOCK])
    player.tell(player.script.lose())
    screen = player.screen()
    assert "0:20" not in screen
    assert "What you choose is sent when it is back." in screen
    lobby = Player()
    lobby.open()
    lobby.ok(lobby.one(messages.Rooms), rooms=[info("KAGU-AAAA")])
    lobby.tell(lobby.script.lose())
    assert "The connection is lost: wait until it is back." in lobby.screen()
    lobby.press("1", "n", "b", "w", "c", "enter")
    assert len(lobby.ui.stack) == 1
    lobby.script.connect()
    assert [type(r) for r in lobby.asked()] == [messages.Hello]


def test_a_stopped_session_goes_on_saying_why() -> None:
    player = playing()
    player.tell(player.script.lose(4004, "taken over"))
    player.script.now += 60
    player.press("escape")
    assert "another connection took this place over" in player.screen()


def test_a_notice_goes_away_by_itself() -> None:
    player = playing()
    player.say({"type": "notice", "code": "paused", "message": "x", "details": {}})
    assert "the clocks are stopped" in player.screen()
    assert player.ui.is_ticking
    player.script.now += 13
    assert "the clocks are stopped" not in player.screen()
    assert not player.ui.is_ticking


def test_notices_are_said_in_our_words_if_they_tell_enough() -> None:
    player = playing()
    details = {"wants": 1, "needs": 2}
    player.say({"type": "notice", "code": "pause", "message": "x", "details": details})
    assert "1 of 2 want the clocks stopped" in player.screen()
    player.say({"type": "notice", "code": "pause", "message": "as told", "details": {}})
    assert "notice: as told" in player.screen()
    said = {"text": "we stop at ten\x1b[2J\u202e"}
    player.say({"type": "notice", "code": "announcement", "message": "x", "details": said})
    assert "From the server: we stop at ten[2J" in player.screen()


def test_the_form_offers_no_more_bots_than_there_are_seats() -> None:
    player = Player()
    player.open()
    player.asked()
    player.press("n", "down", "down", "3", "down", "9", "down")
    screen = player.screen()
    assert "bots                     2" in screen
    assert "bots goes from 0 to 2, so it is 2 now." in screen
    player.press("up", "up", "2", "down")
    assert "bots                     1" in player.screen()
    player.press("pagedown")
    assert "❯ [ create ]" in player.screen()


def test_the_form_tells_times_in_seconds_and_explains_every_field() -> None:
    player = Player()
    properties: dict[str, Json] = {
        **options_schema()["properties"],  # type: ignore[dict-item]
        "turn_ms": {"type": "integer", "minimum": 500, "maximum": 86_400_000, "default": 90_000},
        "new_one": {"type": "boolean", "default": False, "description": "as the server says"},
    }
    player.open(games=[{**GAMES[0], "options": {"properties": properties}}])
    player.press("n")
    unexplained = []
    while (form := player.ui.top.form).here is not None:  # type: ignore[attr-defined]
        before_button = player.screen().split("[ create ]")[-1]
        if len(before_button.splitlines()[-2].strip()) < 8:
            unexplained.append(form.here.name)
        player.press("down")
    assert unexplained == []
    screen = player.screen()
    assert "time for a turn          90 s" in screen
    player.press("up")
    assert "as the server says" in player.screen()
    player.press("up")
    assert "time for a turn          90           seconds" in player.screen()


@pytest.mark.parametrize(
    ("code", "details", "said"),
    [
        (
            "bad_options",
            {"problems": [{"path": "$.seats", "problem": "expected 2 to 6"}]},
            "the table's options do not fit (seats: 2 to 6)",
        ),
        (
            "bad_options",
            {"problems": [{"path": "foo", "problem": "no such option; there are a, b, c"}]},
            "the table's options do not fit (there is no option foo)",
        ),
        (
            "bad_options",
            {"problems": [{"path": "events", "problem": "one of house, none"}]},
            "the table's options do not fit (events: one of house, none)",
        ),
        (
            "unsupported",
            {"games": ["odoriko"]},
            "this server does not have that (games: odoriko)",
        ),
        (
            "unsupported",
            {"levels": ["greedy", "random"]},
            "this server does not have that (levels of bots: greedy, random)",
        ),
    ],
)
def test_refusals_say_once_and_in_words_what_is_wrong(
    code: str, details: dict[str, Json], said: str
) -> None:
    player = Player()
    player.open()
    player.asked()
    player.press("b")
    player.tell(player.script.error(player.one(messages.Create), code, **details))
    screen = " ".join(player.screen().split())
    assert f"that did not work: {said}" in screen
    assert "$" not in screen


def test_on_ones_own_server_there_is_time_unless_it_is_set() -> None:
    clocks = {name: {"type": "integer", "minimum": 500} for name in ("turn_ms", "auction_ms")}
    games = [{**GAMES[0], "options": {"properties": clocks}}]
    player = Player(embedded=True, quick_options={"auction_ms": 3_000})
    player.open(games=games)
    player.asked()
    player.press("b")
    assert player.one(messages.Create).options == {"turn_ms": 1_800_000, "auction_ms": 3_000}
    player = Player()
    player.open(games=games)
    player.asked()
    player.press("b")
    assert player.one(messages.Create).options is None


def test_who_cannot_join_a_running_game_is_told_that_it_watches() -> None:
    player = Player()
    player.open()
    player.asked()
    player.press("c", *"kagu-7q2f", "enter")
    player.tell(player.script.error(player.one(messages.Join), "room_started"))
    join = player.one(messages.Join)
    assert join.as_ is messages.Role.SPECTATOR
    player.ok(join, room=ROOM, seat=None)
    player.say({"type": "room", "room": ROOM, "info": info(phase="playing", seats=OTHERS)})
    told = update(1, full=True, view=view(3, you={}), decisions=[])
    player.say(told)
    screen = player.screen()
    assert "The game has begun already, so you are watching." in screen
    assert "KAGU-7Q2F · watching · Odoriko" in screen
    keys = screen.splitlines()[-1]
    assert "auto" not in keys
    assert "hide" not in keys
    player.asked()
    player.press("a", "1")
    assert player.asked() == []


OTHERS = [
    {"seat": n, "user": f"u{n + 5}", "name": name} for n, name in enumerate(("Bea", "Cho", "Dai"))
]


def test_the_log_keeps_names_and_tells_who_left_and_the_host_what_to_do() -> None:
    player = playing(events=[{"kind": "bid_declared", "seat": 1, "value": 0}])
    player.script.now += 1
    seats = [{"seat": 0, "user": "u0", "name": "Aki", "host": True}, {"seat": 1}]
    seats.append({"seat": 2, "user": "u2", "name": "Cho", "bot": "greedy"})
    player.push(phase="playing", seats=seats)
    screen = player.screen()
    assert "Bea declares 0." in screen
    assert "Bea is no longer at the table." in screen
    assert "a seat is free: F4 b puts a bot in" in screen
    player.script.now += 1
    seats[1] = {"seat": 1, "user": "u9", "name": "Dai", "bot": "greedy"}
    player.push(phase="playing", seats=seats)
    player.script.now += 1
    player.play(action_decision(), seq=2, events=[{"kind": "bid_declared", "seat": 1, "value": 3}])
    screen = player.screen()
    assert "Bea declares 0." in screen
    assert "Dai takes seat 2." in screen
    assert "Dai declares 3." in screen
    assert "a seat is free" not in screen


def test_what_was_said_before_one_came_is_told_apart() -> None:
    player = Player()
    player.open(resumed=True, rooms=[{"room": ROOM, "seat": 0, "last_seq": 3}])
    player.push(phase="playing")
    sync = player.one(messages.Sync)
    line = {"type": "chat", "room": ROOM, "from": {"user": "u1", "name": "Bea", "seat": 1}}
    player.say({**line, "n": 1, "text": "long ago"})
    player.play(seq=1)
    player.ok(sync, seq=1)
    player.say({**line, "n": 2, "text": "now"})
    screen = player.screen()
    assert "» (earlier) Bea: long ago" in screen
    assert "» Bea: now" in screen


def test_the_end_tells_how_the_points_came() -> None:
    player = playing()
    ranking = [{"seat": s, "rank": s + 1, "score": 9 - s} for s in range(3)]
    terms = [{"character": "cc001", "term": 0, "cards": [], "vp": 5}]
    events: list[Json] = []
    for seat in range(3):
        events.append({"kind": "tally", "seat": seat, "terms": terms, "shown": [], "total": 5})
        events.append(
            {"kind": "vp_changed", "seat": seat, "delta": 5, "total": 9, "cause": "tally"}
        )
    player.play(
        seq=2,
        events=[*events, {"kind": "ranked", "ranking": ranking}],
        view={"outcome": {"ranking": ranking, "reason": "final"}, "phase": "over"},
    )
    screen = player.screen()
    assert all(f"Tally for {name}: +5 (‹Il Ariel› +5)" in screen for name in ("Aki", "Bea", "Cho"))
    assert "1.  Aki  9 points  ← you" in screen
    assert player.ui.farewell()[:2] == ["the game is over", " 1.  Aki  9 points  ← you"]


def test_the_log_shows_no_end_of_a_sentence_without_its_beginning() -> None:
    player = playing()
    sender = {"user": "u1", "name": "Bea", "seat": 1}
    for n, words in ((1, 20), (2, 70)):
        text = f"<{n}{' ab' * words} {n}>"
        player.say({"type": "chat", "room": ROOM, "n": n, "from": sender, "text": text})
    for height in range(14, 40):
        screen = player.screen(80, height)
        for n in (1, 2):
            assert f"<{n}" in screen or f"{n}>" not in screen, screen
    assert "<2" in screen
    assert "2>" in screen


def test_the_terminal_keeps_the_way_back() -> None:
    player = playing()
    assert player.ui.farewell() == [
        "while the server runs, this takes you back to your seat:",
        "  kaguraden play ws://hall:1/ws",
    ]
    player.tell(player.script.lose(4004))
    assert player.ui.farewell() == [
        "the connection is over: another connection took this place over"
    ]


def test_a_rematch_against_bots_starts_by_itself() -> None:
    player = playing()
    player.play(seq=2, view={"outcome": {"ranking": [], "reason": "final"}, "phase": "over"})
    player.press("r")
    player.ok(player.one(messages.Rematch), room="KAGU-NEXT")
    seats = [
        {"seat": 0, "user": "u0", "name": "Aki", "host": True},
        {"seat": 1, "user": "u2", "name": "Cho", "bot": "greedy", "ready": True},
    ]
    player.say({"type": "room", "room": "KAGU-NEXT", "info": info("KAGU-NEXT", seats=seats)})
    assert player.one(messages.Ready).room == "KAGU-NEXT"
    seats[0]["ready"] = True
    player.say({"type": "room", "room": "KAGU-NEXT", "info": info("KAGU-NEXT", seats=seats)})
    assert player.one(messages.Start).room == "KAGU-NEXT"


def test_a_rematch_with_people_waits_for_them() -> None:
    player = playing()
    player.play(seq=2, view={"outcome": {"ranking": [], "reason": "final"}, "phase": "over"})
    player.press("r")
    player.ok(player.one(messages.Rematch), room="KAGU-NEXT")
    seats = [
        {"seat": 0, "user": "u0", "name": "Aki", "host": True},
        {"seat": 1, "user": "u1", "name": "Bea"},
    ]
    player.say({"type": "room", "room": "KAGU-NEXT", "info": info("KAGU-NEXT", seats=seats)})
    assert not [r for r in player.asked() if isinstance(r, messages.Ready)]


@pytest.mark.parametrize(
    ("url", "words", "by_code"),
    [
        ("ws://192.168.1.5:8765/ws", "others join with:", True),
        ("wss://[fe80::5%25eth0]:8765/ws", "others join with:", True),
        ("wss://play.example.org/ws", "others join with:", False),
        ("ws://8.8.8.8:8765/ws", "others join with:", False),
        ("ws://127.0.0.1:8765/ws", "to join on this computer:", False),
        ("ws://[::1]:8765/ws", "to join on this computer", False),
    ],
)
def test_the_way_in_that_is_told_is_one_that_works(url: str, words: str, by_code: bool) -> None:
    player = Player(program=".venv/bin/kaguraden")
    player.ui.url = url
    player.sit(title="Friday", locked=True)
    screen = player.screen()
    assert words in screen
    assert f"\n   .venv/bin/kaguraden play {url} --room KAGU-7Q2F\n" in screen
    assert ("\n   .venv/bin/kaguraden join KAGU-7Q2F\n" in screen) is by_code
    assert "code KAGU-7Q2F   title: Friday   needs a password" in screen


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_form_of_the_table_does_not_hang_on_what_is_asked(seats: int) -> None:
    """A sealed answer, a sale and a full menu leave every seat in the lines that it had."""
    player = playing()
    sale = {"seller": 1, "lot": ["2H"], "price_kind": "either", "price": 1, "step": "bidding"}
    you = {"hand": ["4S", "QD", "cc003"], "answered": {"kind": "j", "option": "pass"}}

    def forms(*decisions: messages.Decision, seq: int, **changes: Any) -> set[str]:
        told = view(seats, **changes)
        player.say(
            update(seq, view=told, decisions=[codec_decision(d) for d in decisions], events=[])
        )
        return {line[:8] for line in player.screen().splitlines() if line.startswith("   ")}

    first = forms(action_decision(), seq=2)
    assert len(first) == 2
    assert forms(seq=3, you=you) == first
    assert forms(auction_decision(), seq=4, you=you, table={"auction": sale}) == first
    player.ui.note = "a notice"
    assert forms(action_decision(), seq=5) == first


def test_the_way_out_is_named_on_every_screen_at_80_columns() -> None:
    lobby = Player()
    lobby.open()
    assert "^C" in lobby.screen().splitlines()[-1]
    player = playing()
    for keys in ((), ("3",), ("escape", "5", "1", "2")):
        player.press(*keys)
        assert player.screen().splitlines()[-1].rstrip().endswith("^C leave")


def test_question_mark_explains_the_card_that_is_ticked() -> None:
    player = playing()
    player.press("5", "1", "2", "down", "?")
    assert player.screen().splitlines()[2].startswith(" Q♦")


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
