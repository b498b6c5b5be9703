"""What `kaguraden bot` prints."""

from __future__ import annotations

import pytest
from kaguraden_client import session as s
from kaguraden_client.bots.commands import ENDED_EARLY, PLAYED, _Teller
from kaguraden_client.table import Json
from kaguraden_protocol import messages

from tests.client.scripts import ROOM, Script, info, update

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202eevil\r\n"


def told(capsys: pytest.CaptureFixture[str], *events: s.Event, language: str = "en") -> str:
    teller = _Teller(language, ROOM, session=s.Session("Rin"))
    for event in events:
        teller.tell(event)
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize(
    "event",
    [
        s.Noticed("x", HOSTILE, {}),
        s.RoomLeft(ROOM, HOSTILE),
        s.Failed(1, messages.Act(id=1, room=ROOM, decision="d", option="o"), HOSTILE, HOSTILE, {}),
        s.HelloRefused(HOSTILE, HOSTILE, {}),
        s.Updated(ROOM, 1, ({"kind": HOSTILE, HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]},), full=True),
        s.Stopped(1000, HOSTILE, "止", "stop"),
    ],
)
def test_nothing_that_a_server_says_reaches_the_terminal_as_a_command(
    capsys: pytest.CaptureFixture[str], event: s.Event
) -> None:
    text = told(capsys, event)
    assert text.endswith("\n")
    assert not set(text.rstrip("\n")) & set("\x1b\x07\r\u202e")
    assert text.count("\n") == 1


def test_an_event_is_one_line_with_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    event: dict[str, Json] = {
        "kind": "cards_discarded",
        "cards": [{"card": "9D", "pile": 1}],
        "cause": "action",
    }
    text = told(capsys, s.Updated(ROOM, 2, (event,), full=False))
    assert text == "cards_discarded cards=[{card=9D pile=1}] cause=action\n"


def test_a_room_is_followed_however_its_code_was_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    teller = _Teller("en", "KAGU7Q2F", session=s.Session("Rin"))
    join = messages.Join(id=1, room="KAGU7Q2F")
    teller.tell(s.Answered(1, join, {"room": ROOM, "seat": 1}))
    teller.tell(s.RoomLeft(ROOM, "kicked"))
    assert capsys.readouterr().out == (
        f"sitting at seat 1 of {ROOM}\nleft {ROOM}: the host removed you\n"
    )


def test_the_end_is_told_with_names_and_makes_the_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = Script()
    script.enter()
    teller = _Teller("ja", ROOM, session=script.session)
    assert teller.exit_code == ENDED_EARLY
    script.say({"type": "room", "room": ROOM, "info": info()})
    ranking = [{"seat": 0, "rank": 1, "score": 7}, {"seat": 1, "rank": 2, "score": -1}]
    view = {"game": "odoriko", "phase": "over", "asked": [], "outcome": {"ranking": ranking}}
    for event in script.say(update(2, view=view, events=[])):
        teller.tell(event)
    assert capsys.readouterr().out == "終局: 1. Aki (7), 2. 1 (-1)\n"
    assert teller.exit_code == PLAYED
