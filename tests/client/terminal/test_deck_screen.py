"""Choosing a deck with keys and with typed lines, and what is asked of the server for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kaguraden_client.terminal.commands import play
from kaguraden_client.terminal.deck_files import read_deck, write_deck
from kaguraden_client.terminal.decks import Desk, Draft
from kaguraden_client.terminal.plain import Talk
from kaguraden_client.terminal.ui import Plan
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages

from tests.client.scripts import ROOM

from .test_decks import NINE, STARTER
from .test_ui import Player

Json = Any
CHOOSE_STARTER = [key for i in range(9) for key in ("space", "down")]
CHOOSE_STARTER += ["space", "down", "space", "down", "down", "down", "down", "down", "space"]


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KAGURADEN_HOME", str(tmp_path))


def building(**changes: Any) -> Player:
    player = Player()
    player.sit(**changes)
    player.press("d")
    return player


def test_twelve_cards_are_chosen_and_sent() -> None:
    player = building()
    assert "0 of 12 cards" in player.screen()
    assert "12 more cards are needed" in player.screen()
    player.press("enter")
    assert "not yet: 12 more cards are needed, at least one character" in player.screen()
    assert not [r for r in player.asked() if isinstance(r, messages.Deck)]
    player.press(*CHOOSE_STARTER)
    screen = player.screen()
    assert "12 of 12 cards" in screen
    assert "This deck can be played" in screen
    assert " ❯[1] Valley Echo" in screen
    player.press("enter")
    deck = player.one(messages.Deck)
    assert deck.cards == STARTER
    assert "sending…" in player.screen()
    player.ok(deck)
    assert "your deck is chosen (your own)" in player.screen()
    assert "your deck: your own (d changes it)" in player.screen()


def test_the_screen_shows_texts_limits_and_headings_at_both_sizes() -> None:
    player = building(options={"max_copies_event": 3})
    for size in ((80, 24), (120, 40)):
        screen = player.screen(*size)
        assert "events (×3)" in screen
        assert "Il Ariel of the white gloves" in screen
        assert "Mad Tea Party: When an event card is" in screen
        assert " characters" in screen
    player.ui.lang = Lang.JA
    for size in ((80, 24), (120, 40)):
        screen = player.screen(*size)
        assert "0/12枚" in screen
        assert "あと12枚必要です" in screen
        assert "マッド・ティーパーティ" in screen
        assert "イベント (×3)" in screen
        assert "s 保存" in screen
    for size in ((40, 12), (20, 5), (63, 10)):
        player.screen(*size)
    player.press("end")
    assert "旅じたく" in player.screen(60, 24)


def test_a_card_is_chosen_as_often_as_the_table_allows() -> None:
    player = building()
    player.press("right", "right")
    assert "no more than one ‹Il Ariel›" in player.screen()
    assert "1 of 12" in player.screen()
    player.press("left", "left")
    assert "0 of 12" in player.screen()
    player.press(*["down"] * 9, "space", "space")
    assert "❯[2] Drops of Thaw" in player.screen()
    player.press("space")
    assert "❯[ ] Drops of Thaw" in player.screen()
    player.press("space", "c")
    assert "0 of 12" in player.screen()


def test_without_events_only_characters_are_offered() -> None:
    player = building(options={"events": "none"})
    screen = player.screen(80, 40)
    assert "characters (×2)" in screen
    assert "Drops of Thaw" not in screen


def test_what_the_server_has_against_a_deck_is_told_line_by_line() -> None:
    player = building()
    player.press(*CHOOSE_STARTER, "enter")
    problems = [
        {"path": "cards[3]", "problem": "'cc004' is not a card of this room's sets"},
        {"path": "cards", "problem": "a deck holds exactly 12 cards, this one 13"},
    ]
    request = player.one(messages.Deck)
    player.tell(player.script.error(request, "bad_deck", problems=problems))
    lines = player.screen().splitlines()
    at = next(i for i, line in enumerate(lines) if "The server does not take it:" in line)
    assert "cards[3]: 'cc004' is not a card of this room's sets" in lines[at + 1]
    assert "a deck holds exactly 12 cards" in lines[at + 2]
    player.press("left")
    assert "The server does not take it" not in player.screen()


def test_the_starter_is_chosen_again() -> None:
    player = building()
    player.press("t")
    deck = player.one(messages.Deck)
    assert (deck.cards, deck.starter) == (None, True)
    player.ok(deck)
    assert "you play the starter deck" in player.screen()


def test_a_deck_is_saved_and_loaded_again(tmp_path: Path) -> None:
    player = building()
    player.press(*CHOOSE_STARTER, "s", *"Winter", "enter")
    assert "saved as" in player.screen(120, 30)
    assert read_deck(tmp_path / "decks" / "Winter.toml").cards == STARTER
    player.press("left", "c", "l")
    assert "❯1 Winter" in player.screen()
    player.press("1")
    screen = player.screen()
    assert "“Winter” is loaded" in screen
    assert "12 of 12 cards   “Winter”" in screen
    player.press("enter")
    player.ok(player.one(messages.Deck))
    assert "your deck: Winter" in player.screen()


def test_a_saved_deck_is_deleted_after_a_question(tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    for name in ("Autumn", "Winter"):
        write_deck(name, STARTER, "odoriko", folder)
    player = building()
    player.press("l", "down", "x")
    assert "Delete “Winter”? This cannot be undone." in player.screen()
    player.press("x", "1", "escape")
    assert "Delete" not in player.screen()
    assert sorted(path.name for path in folder.iterdir()) == ["Autumn.toml", "Winter.toml"]
    player.press("x", "enter")
    screen = player.screen()
    assert "“Winter” is deleted" in screen
    assert "❯1 Autumn" in screen
    assert [path.name for path in folder.iterdir()] == ["Autumn.toml"]
    player.press("x", "enter", "x")
    assert "No deck is saved yet" in player.screen()
    player.press("escape")
    assert "0 of 12 cards" in player.screen()


def test_a_deck_that_went_away_meanwhile_is_said_to_be_missing(tmp_path: Path) -> None:
    write_deck("Winter", STARTER, "odoriko", tmp_path / "decks")
    player = building()
    player.press("l", "x")
    (tmp_path / "decks" / "Winter.toml").unlink()
    player.press("enter")
    assert "there is no deck “Winter”" in player.screen()


def test_nothing_is_saved_while_there_are_no_cards() -> None:
    player = building()
    player.press("s")
    assert "there are no cards to save yet" in player.screen()


def test_another_deck_is_replaced_only_when_asked_twice(tmp_path: Path) -> None:
    write_deck("Winter", NINE, "odoriko", tmp_path / "decks")
    player = building()
    player.press("space", "s", *"Winter", "enter")
    assert "There is a deck “Winter” already" in player.screen()
    assert read_deck(tmp_path / "decks" / "Winter.toml").cards == NINE
    player.press("enter")
    assert read_deck(tmp_path / "decks" / "Winter.toml").cards == ("cc001",)
    player.press("s", "c-u", *"..", "enter")
    assert "cannot be the name of a deck" in player.screen()
    player.press("escape", "l", "escape", "escape")
    assert "r says that you are ready." in player.screen()


def test_a_loaded_deck_that_is_not_legal_shows_what_is_wrong(tmp_path: Path) -> None:
    write_deck("Odd", ("cc001", "cc001", "cc_elsewhere"), "odoriko", tmp_path / "decks")
    (tmp_path / "decks" / "Bad.toml").write_text("cards = 3")
    player = building()
    player.press("l", "1")
    assert "has no cards" in player.screen(160, 24)
    player.press("l", "down", "enter")
    screen = player.screen(80, 40)
    assert "9 more cards are needed, 2 copies of ‹Il Ariel›; this table allows 1" in screen
    assert "‹cc_elsewhere›" in screen
    player.press("end", "left")
    assert "is no card of this server" not in player.screen(80, 40)


def test_the_whole_text_of_a_card_is_a_page() -> None:
    player = building()
    player.press("down", "?")
    screen = player.screen()
    assert "Romage of the drifting mist" in screen
    assert "+4 if there are 5 or more spades" in screen
    player.press("down", "escape", "escape")
    assert "r says that you are ready." in player.screen()


def test_the_shade_hides_the_deck_too() -> None:
    player = building()
    player.press("space", "f9")
    assert "Il Ariel" not in player.screen()
    player.press("space", "c", "?")
    player.press("f9")
    assert "1 of 12" in player.screen()


def test_who_watches_or_plays_already_builds_no_deck() -> None:
    player = Player()
    player.sit(phase="playing")
    player.play()
    player.press("d")
    assert "of 12 cards" not in player.screen()


def test_options_that_forbid_the_deck_say_so() -> None:
    player = building()
    player.press(*CHOOSE_STARTER, "enter")
    player.ok(player.one(messages.Deck))
    player.say(
        {"type": "notice", "code": "deck_dropped", "message": "x", "details": {"room": ROOM}}
    )
    assert "your deck cannot be played" in player.screen()
    assert "your deck: the starter" in player.screen()


# --- bringing a deck along ---------------------------------------------------------------------------


def brought(game: str = "odoriko") -> Player:
    desk = Desk(bring=Draft(STARTER, "Winter"), bring_game=game)
    create = messages.Create(id=0, game="odoriko", seats=2)
    player = Player(decks=desk, plan=Plan(create=create, bots=1, level="greedy", start=True))
    player.open()
    player.ok(player.one(messages.Create), room=ROOM, seat=0)
    assert not [r for r in player.asked() if isinstance(r, messages.Ready)]
    player.push()
    return player


def test_a_deck_from_the_command_line_is_sent_before_one_is_ready() -> None:
    player = brought()
    requests = player.asked()
    assert [r for r in requests if isinstance(r, messages.Ready)] == []
    (deck,) = [r for r in requests if isinstance(r, messages.Deck)]
    assert deck.cards == STARTER
    player.ok(deck)
    assert player.one(messages.Ready).ready is True
    player.push()
    assert not [r for r in player.asked() if isinstance(r, messages.Deck | messages.Ready)]


def test_a_deck_that_is_refused_does_not_start_the_game_with_another() -> None:
    player = brought()
    problems = [{"path": "cards", "problem": "3 copies of ev_shimo; the room allows 2"}]
    player.tell(player.script.error(player.one(messages.Deck), "bad_deck", problems=problems))
    assert not [r for r in player.asked() if isinstance(r, messages.Ready)]
    screen = player.screen()
    assert "3 copies of ev_shimo; the room allows 2" in screen
    assert "12 of 12 cards   “Winter”" in screen


def test_a_deck_of_another_game_stays_at_home() -> None:
    player = brought("enbu")
    requests = player.asked()
    assert not [r for r in requests if isinstance(r, messages.Deck)]
    assert [r.ready for r in requests if isinstance(r, messages.Ready)] == [True]


def test_a_deck_file_that_cannot_be_used_ends_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(play, ["--lang", "en", "--deck", "Winter"])
    assert result.exit_code == 2
    assert "there is no deck “Winter”" in result.output
    (tmp_path / "d.toml").write_text("cards = [")
    result = CliRunner().invoke(play, ["--lang", "ja", "--deck", str(tmp_path / "d.toml")])
    assert result.exit_code == 2
    assert "TOMLとして読めません" in result.output


# --- line mode -----------------------------------------------------------------------------------------


def talking() -> tuple[Player, Talk]:
    player = Player()
    player.sit()
    return player, Talk(player.ui)


def test_line_mode_lists_sends_saves_and_loads(tmp_path: Path) -> None:
    player, talk = talking()
    lines = talk.typed("deck", 1)
    assert any(
        line.startswith("cc001: Il Ariel of the white gloves Mad Tea Party:") for line in lines
    )
    assert "your deck: the starter" in lines
    assert talk.typed("deck save X", 1) == [
        "There is no deck to save: choose one first with deck ID ID …"
    ]
    assert talk.typed("deck cc001 cc002", 1) == ["not yet: 10 more cards are needed"]
    assert talk.typed("deck " + " ".join(STARTER).upper(), 1) == []
    deck = player.one(messages.Deck)
    assert deck.cards == STARTER
    (ok,) = player.script.ok(deck)
    assert "your deck is chosen (your own)" in talk.happened(ok, 2)
    assert "saved as" in talk.typed("deck save Winter", 3)[0]
    assert talk.typed("deck files", 3) == ["Winter"]
    assert talk.typed("deck delete ../Winter", 3) == [
        "there is no deck “../Winter”; there are: Winter"
    ]
    assert talk.typed("deck files", 3) == ["Winter"]
    assert talk.typed("deck load Winter", 3) == ["“Winter” is loaded"]
    request = player.one(messages.Deck)
    problems = [{"path": "cards", "problem": "too dull"}, {"path": "cards[1]", "problem": "no"}]
    (failed,) = player.script.error(request, "bad_deck", problems=problems)
    assert talk.happened(failed, 4) == ["server: cards: too dull", "server: cards[1]: no"]
    assert talk.typed("deck load Summer", 5) == ["there is no deck “Summer”; there are: Winter"]
    talk.typed("deck starter", 5)
    assert player.one(messages.Deck).starter is True
    for text in ("deck ?", "deck load", "?"):
        assert "deck starter the starter" in talk.typed(text, 5)[-1]
    assert read_deck(tmp_path / "decks" / "Winter.toml").cards == STARTER
    assert talk.typed("deck delete Winter", 6) == ["“Winter” is deleted"]
    assert talk.typed("deck delete Winter", 6) == ["there is no deck “Winter”"]


def test_line_mode_has_no_deck_to_choose_once_the_game_runs() -> None:
    player, talk = talking()
    player.play()
    assert "The game has begun already." in talk.typed("deck", 1)
