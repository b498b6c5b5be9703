"""Notes of a player of yumeochi: a grid and lines that stay in the client, in both clients' ways."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from kaguraden_client.terminal.notes import Guess, Notes, Sheet
from kaguraden_client.terminal.plain import Talk
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages

from tests.client.scripts import ROOM, info, update
from tests.rules.yumeochi_positions import YUMEOCHI, Table, at_turn, seat

from .test_ui import GAMES, Player, codec_decision, playing
from .yumeochi_tables import TOLD, decision_of, view_of

Json = Any
OFFERED = {
    "id": "yumeochi",
    "rules": "1.0",
    "seats": {"min": 4, "max": 4},
    "name": {"ja": "夢ヲチ", "en": "Yumeochi"},
    "options": YUMEOCHI.options_schema(),
    "windows": [],
}
SEATS = [
    {"seat": n, "user": f"u{n}", "name": name, "host": n == 0, "ready": True}
    for n, name in enumerate(("Aki", "Bea", "Cho", "Dai"))
]


def middle() -> Table:
    return at_turn(seat("gentleman", "keyhole"), seat("night_raven", "sleight", up=True), hour=4)


class Sleeper(Player):
    """A player of yumeochi with the server's end in hand."""

    def sit_down(self, at: Table, *, lang: Lang = Lang.EN) -> None:
        """Enter a room whose game has begun, with its cards."""
        self.ui.lang = lang
        self.open(games=[*GAMES, OFFERED])
        self.asked()
        self.ui.create(messages.Create(id=0, game="yumeochi"), 0, None, start=False)
        self.ok(self.one(messages.Create), room=ROOM, seat=0)
        room = info(ROOM, game="yumeochi", phase="playing", seats=SEATS)
        self.say({"type": "room", "room": ROOM, "info": room})
        for request in self.asked():
            if isinstance(request, messages.Catalog):
                self.ok(request, **{k: TOLD[k] for k in ("version", "packs", "cards", "rulebook")})
        self.show(at)

    def show(self, at: Table, seq: int = 1) -> None:
        """Take a view of the table."""
        asked = [codec_decision(decision_of(at))] if 0 in at.decisions else []
        self.say(update(seq, full=True, view=view_of(at), decisions=asked, events=[]))


def sleeping(at: Table | None = None, lang: Lang = Lang.EN) -> Sleeper:
    player = Sleeper()
    player.sit_down(at or middle(), lang=lang)
    return player


def grid(player: Sleeper, columns: int = 80, lines: int = 24) -> list[str]:
    return player.screen(columns, lines).splitlines()[1:6]


def test_n_opens_the_notes_with_what_is_known() -> None:
    """YU-5: a role that is known to lie at one seat lies at no other."""
    player = sleeping()
    assert "n notes" in player.screen(120)
    player.press("n")
    head, *rows = grid(player)
    assert "Moon Hare" in head
    assert rows[0].split()[-4:] == ["[■]", "×", "×", "×"]
    assert rows[1].split()[-4:] == ["×", "■", "×", "×"]
    assert rows[2].split()[-4:] == ["×", "×", "·", "·"]
    assert "Aki as English Gentleman: known" in player.screen()
    player.press("n")
    assert "Your turn" in player.screen()


def test_a_key_goes_through_the_marks_and_what_is_known_stays() -> None:
    player = sleeping()
    player.press("n", "space")
    assert "[■]" in player.screen()
    player.press("3", "right", "right")
    for word in ("excluded", "suspected", "sure", "unknown", "excluded"):
        player.press("space")
        assert f"Cho as Mainspring Maker: {word}" in player.screen()
    player.press("0")
    assert "Cho as Mainspring Maker: unknown" in player.screen()
    player.press("o")
    assert "[●]" in player.screen()


def test_a_guess_stands_at_the_seat_on_the_table() -> None:
    player = sleeping()
    player.press("n", "4", "right", "right", "right", "s", "escape")
    assert "role ?Moon Hare" in player.screen()
    player.press("n", "o", "escape")
    assert "role ?=Moon Hare" in player.screen()
    player.press("f9")
    assert "Moon Hare" not in player.screen()


def test_a_line_is_written_for_a_seat() -> None:
    player = sleeping(lang=Lang.JA)
    player.press("n", "down", "down", "enter", *"9時に◆を取った", "enter")
    assert "Cho: 9時に◆を取った" in player.screen()
    player.press("enter", "c-u", *"x", "escape")
    assert "Cho: 9時に◆を取った" in player.screen()
    player.press("enter", "end", "backspace", "enter")
    assert "Cho: 9時に◆を取っ" in player.screen()


def test_nothing_of_the_notes_is_sent() -> None:
    player = sleeping()
    player.asked()
    player.press("n", "3", "right", "right", "space", "enter", *"bluffs", "enter", "escape")
    assert player.asked() == []


def test_notes_survive_a_lost_line_and_end_with_the_deal() -> None:
    """YU-88: a new dream is dealt anew, so nothing noted holds any more."""
    player = sleeping()
    player.press("n", "3", "right", "right", "s", "escape")
    player.tell(player.script.lose())
    player.tell(player.script.come_back(last_seq=1))
    player.show(middle(), seq=2)
    player.press("n")
    assert "?" in grid(player)[3]
    player.press("escape")
    again = middle()
    again.state = evolve(again.state, game_no=2)
    player.show(again, seq=3)
    player.press("n")
    assert "?" not in grid(player)[3]


@pytest.mark.parametrize("lang", [Lang.JA, Lang.EN])
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 5), (9, 3), (1, 1)])
def test_the_pane_fits_every_terminal(lang: Lang, size: tuple[int, int]) -> None:
    player = sleeping(lang=lang)
    player.press("n", "3", "right", "right", "s", "enter", *"夢の中の長い長い一行のメモ")
    player.screen(*size)
    player.press("enter", "down", "left")
    text = player.screen(*size)
    if size == (20, 5):
        assert any(sign in text for sign in "■×")


def test_notes_are_for_games_with_something_to_deduce() -> None:
    player = playing()
    player.press("n")
    assert "notes" not in player.screen(120)


# --- line mode -----------------------------------------------------------------------------------


def talking() -> tuple[Sleeper, Talk]:
    player = sleeping()
    talk = Talk(player.ui)
    talk.typed("?", 0)  # it arrives
    return player, talk


def test_line_mode_tells_and_takes_notes() -> None:
    player, talk = talking()
    lines = talk.typed("n", 0)
    assert lines[0] == "1 Aki: English Gentleman known"
    assert lines[2] == "3 Cho: unknown"
    assert "Roles: 1 English Gentleman, 2 Night Raven, 3 Mainspring Maker, 4 Moon Hare" in lines[-1]
    assert talk.typed("n 3 4 s", 0)[2] == "3 Cho: Moon Hare suspected"
    assert talk.typed("n 3 = wants items", 0)[2] == "3 Cho: Moon Hare suspected, wants items"
    assert talk.typed("n 3 mainspring_maker x", 0)[2].startswith("3 Cho: Mainspring Maker excluded")
    assert talk.typed("n 1 1 x", 0) == ["that is known already: Aki as English Gentleman: known"]
    for wrong in ("n 9 1 x", "n 3 9 x", "n 3 1", "n x", "n 3 4 w", "n " + "9" * 50 + " 1 x"):
        assert talk.typed(wrong, 0)[0].startswith("that is no note: ")
    assert not [r for r in player.asked() if not isinstance(r, messages.Rooms)]
    assert "n: your notes" in talk.typed("?", 0)


# --- the values ----------------------------------------------------------------------------------


def test_marks_go_round() -> None:
    seen = [Guess.UNKNOWN]
    for _ in range(4):
        seen.append(seen[-1].next)
    assert [g.value for g in seen] == ["unknown", "excluded", "suspected", "sure", "unknown"]


def test_notes_of_another_deal_are_none() -> None:
    notes = Notes(1).marked(2, "moon_hare", Guess.SURE).written(2, "x" * 500)
    assert notes.of(1) is notes
    assert notes.of(2) == Notes(2)
    assert len(notes.line(2)) == 120
    assert notes.thought(2) == (("moon_hare", Guess.SURE),)


def test_what_is_known_excludes_the_rest() -> None:
    sheet = Sheet(1, (0, 1), ("a", "b"), {0: "a"})
    assert [sheet.fact(0, "a"), sheet.fact(0, "b"), sheet.fact(1, "a"), sheet.fact(1, "b")] == [
        True,
        False,
        False,
        None,
    ]


# --- the room ------------------------------------------------------------------------------------


def test_the_cards_of_another_set_are_fetched_with_the_rooms_options() -> None:
    """YU-93: ids are unique within a set alone."""
    player = Sleeper()
    schema: dict[str, Json] = dict(YUMEOCHI.options_schema())
    schema["properties"] = {
        **schema["properties"],
        "set": {"enum": ["yumeochi-base", "mine"], "default": "yumeochi-base"},
    }
    player.open(games=[{**OFFERED, "options": schema}])
    player.asked()
    player.ui.create(messages.Create(id=0, game="yumeochi"), 0, None, start=False)
    player.ok(player.one(messages.Create), room=ROOM, seat=0)
    room = info(ROOM, game="yumeochi", phase="playing", seats=SEATS, options={"set": "mine"})
    player.say({"type": "room", "room": ROOM, "info": room})
    asked = [r for r in player.asked() if isinstance(r, messages.Catalog)]
    mine = next(r for r in asked if r.options)
    assert mine.options == {"set": "mine"}
    cards = {"keyhole": {**TOLD["cards"]["keyhole"], "name": {"ja": "のぞき", "en": "Peephole"}}}
    player.ok(mine, version="1", packs=[], cards=cards)
    player.show(middle())
    assert "skill Peephole (secret)" in player.screen()


def test_the_form_switches_extra_roles_and_makes_four_seats() -> None:
    """YU-1, YU-5."""
    player = Sleeper(quick_game="yumeochi")
    player.open(games=[*GAMES, OFFERED])
    player.asked()
    player.press("n")
    for request in player.asked():
        if isinstance(request, messages.Catalog):
            player.ok(request, **{k: TOLD[k] for k in ("version", "packs", "cards", "rulebook")})
    player.press(*["down"] * 8)
    screen = player.screen(100)
    assert "❯ extra roles" in screen
    assert "1 [ ] Dream Eater  2 [ ] Sleeptalk Detective  3 [ ] Late Sleeper" in screen
    player.press("3", "1", "2", "2")
    assert "1 [x] Dream Eater  2 [ ] Sleeptalk Detective  3 [x] Late Sleeper" in player.screen(100)
    player.press("pagedown", "enter")
    create = player.one(messages.Create)
    assert create.seats == 4
    assert create.options == {"roles": ["dream_eater", "late_sleeper"]}


def test_b_in_the_lobby_fills_the_table() -> None:
    """YU-1: four seats, whatever number of bots other games are played with."""
    player = Sleeper(quick_game="yumeochi", quick_bots=1, quick_options={"roles": "dream_eater"})
    player.open(games=[*GAMES, OFFERED])
    player.asked()
    player.press("b")
    create = player.one(messages.Create)
    assert (create.seats, create.options) == (4, {"roles": ["dream_eater"]})
    player.ok(create, room=ROOM, seat=0)
    assert len([r for r in player.asked() if isinstance(r, messages.Bot)]) == 3


# --- whatever is pressed -------------------------------------------------------------------------

KEYS = ["0", "1", "2", "3", "5", "9", "enter", "escape", "space", "up", "down", "left", "right"]
KEYS += ["n", "?", "x", "s", "o", "f1", "f2", "f3", "f4", "f9", "tab", "pagedown", "backspace", "a"]


@given(
    keys=st.lists(st.sampled_from(KEYS), max_size=30),
    size=st.sampled_from([(80, 24), (120, 40), (40, 12), (20, 5), (7, 3)]),
)
@settings(max_examples=25, deadline=None)
def test_any_keys_leave_a_whole_screen(keys: list[str], size: tuple[int, int]) -> None:
    player = sleeping()
    for key in keys:
        player.press(key)
        player.screen(*size)
