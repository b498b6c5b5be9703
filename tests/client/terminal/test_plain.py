"""Line mode: sentences out, numbers and words in."""

from __future__ import annotations

from typing import Any

import pytest
from kaguraden_client.terminal.plain import Talk, read_value
from kaguraden_protocol import messages
from kaguraden_protocol.messages import CardsSpec, IntSpec, Option, OrderSpec

from tests.client.scripts import ROOM

from .tables import action_decision, as_decision, auction_decision
from .test_ui import Player


class Speaker(Player):
    """A player in line mode; `heard` are the lines printed so far."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(**changes)
        self.talk = Talk(self.ui)
        self.heard: list[str] = []

    def tell(self, events: list[Any]) -> None:
        for event in events:
            self.heard += self.talk.happened(event, self.script.now)

    def type(self, text: str) -> list[str]:
        """Type a line and return what is printed at once."""
        lines = self.talk.typed(text, self.script.now)
        self.heard += lines
        return lines

    def news(self) -> list[str]:
        """Return what was printed since the last time."""
        lines, self.heard = self.heard, []
        return lines


def seated(*decisions: messages.Decision, **changes: Any) -> Speaker:
    speaker = Speaker()
    speaker.sit(phase="playing")
    speaker.news()
    speaker.play(*decisions, **changes)
    return speaker


def test_k_tells_the_game_in_short_and_its_rulebook_by_sections() -> None:
    speaker = seated()
    short = speaker.type("k")
    assert short[0].startswith("odoriko: dancers")
    assert "1. Goal, 2. Cards, 3. The table" in short[-1]
    (heading, *section) = speaker.type("k 9")
    assert heading == "■ 9. Auctions"
    assert section[-1] == "Rules: OD-80 to OD-95, OD-205 to OD-206"
    assert speaker.type("k 0")[0] == "■ Odoriko: the players' rulebook"
    assert speaker.type("k 18")[0] == "■ 18. Glossary"
    for wrong in ("19", "-1", "x", "9" * 5000):
        assert speaker.type(f"k {wrong}") == [f"the rulebook has no section {wrong}"]


def test_the_lobby_is_told_and_left_by_words() -> None:
    speaker = Speaker()
    speaker.open()
    news = speaker.news()
    assert news[0].startswith("This is Kaguraden.")
    assert "No table is open at the moment." in news
    speaker.asked()
    assert speaker.type("?")[0].startswith("n makes a table")
    speaker.type("j kagu-7q2f")
    assert speaker.one(messages.Join).room == "KAGU-7Q2F"
    speaker.type("n bots")
    assert speaker.one(messages.Create).seats == 4
    assert speaker.type("dance")[0] == "not understood: dance (? for help)"
    speaker.type("q")
    assert speaker.talk.is_over


def test_entering_a_room_tells_the_seats_and_every_change_of_them() -> None:
    speaker = Speaker()
    speaker.sit()
    news = speaker.news()
    assert "You are at table KAGU-7Q2F (seat 1)." in news
    assert "seats: 1 Aki (not ready), 2 Bea (ready), 3 Cho (bot, ready)" in news
    assert "r says that you are ready." in news
    speaker.push()
    assert speaker.news() == []
    speaker.type("r")
    assert speaker.one(messages.Ready).ready
    speaker.type("s")
    speaker.one(messages.Start)


def test_one_event_is_one_line_and_a_question_is_a_numbered_list() -> None:
    speaker = seated(
        auction_decision(),
        seq=1,
        events=[{"kind": "auction_bid", "seat": 2, "number": 2}],
        clock=[{"seat": None, "decision": "0.3", "left_ms": 7_000, "total_ms": 15_000}],
    )
    news = speaker.news()
    assert news[0] == "Cho bids 2."
    assert "Cho: 12 VP" in "\n".join(news)
    assert news[-3:] == [
        "Question: auction · at 0:00: done bidding · 0:07 left",
        "1. done bidding",
        "2. bid (add a number from 3 to 4)",
    ]
    speaker.play(auction_decision(), seq=2, events=[])
    assert speaker.news() == [], "the same question is not asked twice"
    speaker.play(auction_decision(), seq=3, full=True, clock=[])  # after a reconnect
    assert speaker.news()[-3] == "Question: auction", "but with the whole table it is"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"type": "int", "min": 1, "max": 1}, "2. bid (add the number 1)"),
        (
            {"type": "cards", "from": ["4S", "QD"], "min": 2, "max": 2},
            "2. bid (add 2 of: 4S QD)",
        ),
        (
            {"type": "cards", "from": ["4S", "QD"], "min": 1, "max": 2},
            "2. bid (add 1 to 2 of: 4S QD)",
        ),
    ],
)
def test_what_can_be_only_one_number_is_not_told_as_a_range(
    value: dict[str, Any], told: str
) -> None:
    options = [
        {"id": "done", "kind": "done", "args": {}},
        {"id": "bid", "kind": "bid", "args": {}, "value": value},
    ]
    speaker = seated(
        as_decision({"id": "0.3", "kind": "auction", "options": options, "default": "done"})
    )
    assert speaker.news()[-1] == told


def test_answers_are_numbers_with_values_or_the_names_of_options() -> None:
    speaker = seated(auction_decision())
    assert speaker.type("2") == ["that value does not fit: – (add a number from 3 to 4)"]
    assert speaker.type("2 9") == ["that value does not fit: 9 (add a number from 3 to 4)"]
    assert speaker.type("7") == ["there is no option 7"]
    assert speaker.type("2 4") == []
    act = speaker.one(messages.Act)
    assert (act.option, act.value) == ("bid", 4)
    speaker = seated(action_decision())
    speaker.type("sell:either:2 4s, qd")
    act = speaker.one(messages.Act)
    assert (act.option, act.value) == ("sell:either:2", ("4S", "QD"))


def test_table_hand_options_and_explanations_on_demand() -> None:
    speaker = seated(action_decision())
    speaker.news()
    assert any("Aki (you): 3 VP" in line for line in speaker.type("v"))
    assert speaker.type("h") == ["your hand  4♠  Q♦  ‹Krilkritol›"]
    assert speaker.type("o")[1] == "1. draw from the resource deck"
    assert any("OD-40" in line for line in speaker.type("e 1"))
    assert speaker.type("e cc001")[0].startswith("Il Ariel")
    assert any("odoriko" in line for line in speaker.type("k"))
    assert speaker.type("a")[-1] == "j [ask me] When resource cards are discarded."
    speaker.type("a j pass")
    assert speaker.one(messages.Auto).mode is messages.Mode.PASS
    speaker.type("c good game")
    assert speaker.one(messages.Chat).text == "good game"


def test_a_refused_answer_is_told() -> None:
    speaker = seated(auction_decision())
    speaker.news()
    speaker.type("1")
    speaker.tell(speaker.script.error(speaker.one(messages.Act), "stale", current=[]))
    assert speaker.news(), "nobody heard that the answer was too late"


def test_the_ranking_ends_the_game_and_leaving_ends_the_stay() -> None:
    speaker = seated(action_decision())
    speaker.news()
    ranking = [{"seat": 1, "rank": 1, "score": 7}, {"seat": 0, "rank": 2, "score": 3}]
    speaker.play(seq=2, view={"outcome": {"ranking": ranking, "reason": "final"}})
    assert speaker.news()[-3:] == [
        "the game is over",
        "1.  Bea  7 points",
        "2.  Aki  3 points  ← you",
    ]
    speaker.type("l")
    assert speaker.one(messages.Leave).room == ROOM


def test_hostile_text_comes_out_clean() -> None:
    speaker = seated(action_decision())
    sender = {"user": "u1", "name": "\x1b[2JBea", "seat": 1}
    text = "\x1b]0;x\x07\u202egnp"
    speaker.say({"type": "chat", "room": ROOM, "n": 1, "from": sender, "text": text})
    assert speaker.news()[-1] == "[2JBea: ]0;xgnp"


def test_a_refused_hello_ends_with_a_failure() -> None:
    speaker = Speaker()
    speaker.script.connect()
    (hello,) = speaker.asked()
    speaker.tell(speaker.script.error(hello, "bad_password"))
    assert speaker.talk.failed


@pytest.mark.parametrize(
    ("value", "text", "read"),
    [
        (None, "", None),
        (IntSpec(1, 3), "2", 2),
        (CardsSpec(("9D", "cc001"), 1, 2), "CC001", ("cc001",)),
        (OrderSpec(("a", "b")), "b, a", ("b", "a")),
    ],
)
def test_values_are_read(value: Any, text: str, read: Any) -> None:
    assert read_value(Option("x", "x", {}, value), text) == read


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "3"),
        (IntSpec(1, 3), "4"),
        (IntSpec(1, 3), "x"),
        (IntSpec(1, 3), ""),
        (CardsSpec(("9D", "8D"), 1, 1), "9D 8D"),
        (CardsSpec(("9D", "8D"), 2, 2), "9D 9D"),
        (CardsSpec(("9D",), 1, 1), "7D"),
        (OrderSpec(("a", "b")), "a"),
    ],
)
def test_values_that_do_not_fit_are_refused(value: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text or "."):
        read_value(Option("x", "x", {}, value), text)


def test_what_is_asked_comes_after_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """News of the room may be told when the table is known already; the question waits for it."""
    speaker = Speaker()
    speaker.sit(phase="lobby")
    speaker.news()
    events: list[Any] = []
    with monkeypatch.context() as late:  # both messages arrive before either is told of
        late.setattr(speaker, "tell", events.extend)
        speaker.push(phase="playing")
        speaker.play(action_decision())
    speaker.tell(events)
    news = speaker.news()
    (asked,) = (i for i, line in enumerate(news) if line.startswith("Question: "))
    (table,) = (i for i, line in enumerate(news) if line.startswith("your hand"))
    assert table < asked
