"""How much there can be to tell at once with a card set, and sets that are too much (YU-142)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Final

import pytest
from kaguraden_protocol.limits import MAX_NODES
from kaguraden_rules.kernel import Answer, Json
from kaguraden_rules.yumeochi.bounds import MAX_VALUES, worst
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.events import GameEnded, GameStarted
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.reading import CheckedSet, read_set
from kaguraden_rules.yumeochi.sets import BASE
from kaguraden_server.streams import count_nodes, decision_to_wire, events_to_wire, view_to_wire

from tests.properties.yumeochi_play import SEATS, WORKSHOP

NAMES: Final = 'name_ja = "札"\nname_en = "Card"'
NEVER: Final = '{ check = "after_action", all = [ { test = "kills", op = ">=", n = 4 } ] }'
ALL_HOURS: Final = "[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"
SWAP: Final = (
    'pick = [ { hour = "any" }, { hour = "any" } ]',
    '{ do = "swap", what = "time_cards" }',
)
HURT_ALL: Final = (
    '{ do = "damage", to = "all", n = 1 }',
    '{ do = "heal", to = "all", n = 1 }',
)


def use(effects: Iterable[str], pick: str = "") -> str:
    """Return the lines of an ability."""
    return f"{pick}\neffects = [ {', '.join(effects)} ]"


def of_item(ability: str) -> str:
    return f"use = {{ {ability.strip().replace(chr(10), ', ')} }}"


def card_set(
    skills: Iterable[str] = (), items: Iterable[str] = (), action: str = "", roles: int = 4
) -> CheckedSet:
    """Return a set with these skills and items; what is left does nothing."""
    text = f'[set]\nid = "made"\nversion = 1\n{NAMES}\n'
    for n in range(roles):
        text += f'[[role]]\nid = "r{n}"\n{NAMES}\nbase = {str(n < 4).lower()}\nwin = {NEVER}\n'
        text += action and f"action = {{ {NAMES.replace(chr(10), ', ')}, {action} }}\n"
    skills, items = [*skills], [*items]
    for n in range(6):
        text += f'[[skill]]\nid = "s{n}"\n{NAMES}\n{skills[n] if n < len(skills) else use(())}\n'
    for n in range(12):
        kind, body = ("item", items[n]) if n < len(items) else ("event", use(()))
        text += f'[[time]]\nid = "t{n}"\n{NAMES}\nkind = "{kind}"\n{body}\n'
    return read_set("made.toml", text.encode())


GAIN: Final = '{ do = "gain", from = "leftover" }'
SWAPPING: Final = use([SWAP[1]], SWAP[0])
SWAPPING_ITEMS: Final = use(
    ['{ do = "swap", what = "items" }'],
    'pick = [ { seat = "any" }, { item = "target" }, { item = "self" } ]',
)
AWAKE: Final = f"trigger = {{ hours = {ALL_HOURS}, after = 'keep', effects = [ %s ] }}"
TOO_MUCH: Final = {
    "choices of skills": card_set([SWAPPING] * 5 + [use([GAIN])]),
    "choices of items": card_set(items=[of_item(SWAPPING_ITEMS)] * 12),
    "choices of skills, items and an action": card_set(
        [SWAPPING, SWAPPING, use([GAIN])], [of_item(SWAPPING)] * 3, of_item(SWAPPING)[7:-2]
    ),
    "effects of one card": card_set(skills=[use(HURT_ALL * 60)]),
    "effects of cards that go off together": card_set(items=[AWAKE % ", ".join(HURT_ALL * 2)] * 12),
    "hours in which nobody is asked": card_set(
        items=[AWAKE % '{ do = "skip", to = "all" }, { do = "heal", to = "all", n = 1 }'] * 6
    ),
    "what a seat has seen": card_set(skills=[use(['{ do = "peek", what = "leftover" }'] * 30)]),
}
FITTING: Final = {
    "choices": card_set([SWAPPING] * 6, action=of_item(SWAPPING)[7:-2]),
    "choices of items": card_set(items=[of_item(SWAPPING)] * 6),
    "effects": card_set([use(HURT_ALL * 20)], [AWAKE % HURT_ALL[0]]),
    "seen": card_set([use(['{ do = "peek", what = "leftover" }'] * 15)]),
    "skipped": card_set(
        [use(['{ do = "skip", to = "all" }'])] * 6, [AWAKE % '{ do = "skip", to = "all" }']
    ),
    "roles": card_set(roles=400),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_set_that_cannot_be_told_is_refused(what: str) -> None:
    checked = TOO_MUCH[what]
    assert checked.cards is None
    (fault,) = checked.faults
    assert (fault.code, fault.path) == ("E_SIZE", "")
    assert f"at most {MAX_VALUES}" in fault.sentence.en


def test_no_message_is_larger_than_one_may_be() -> None:
    assert MAX_VALUES < MAX_NODES


def sizes(cards: CardSet, number: int) -> tuple[int, int, int, int]:
    """Return the most values of views, events, options and all that came up in a random game.

    What the end brings counts in all only.
    """
    rng = random.Random(number)
    game = Yumeochi({cards.id: cards})
    extra: list[Json] = [role.id for role in cards.roles if not role.is_base]
    step = game.setup(game.parse_options({"roles": extra}), 4, ((),) * 4, rng.randbytes(32))
    liked = rng.choice(("use", "open", "action", "exchange"))
    view = events = options = total = 0
    while True:
        decisions = game.decisions(step.state)
        for viewer in (*SEATS, None):
            asked = [decisions[viewer]] if viewer is not None and viewer in decisions else []
            of_view = count_nodes(view_to_wire(game.view(step.state, viewer)))
            of_events = count_nodes(events_to_wire(step.events, viewer))
            of_options = count_nodes([decision_to_wire(decision) for decision in asked])
            total = max(total, of_view + of_events + of_options)
            if not any(isinstance(event, GameEnded | GameStarted) for event in step.events):
                view, events = max(view, of_view), max(events, of_events)
                options = max(options, of_options)
        if not decisions:
            return view, events, options, total
        seat, decision = next(iter(decisions.items()))
        best = [o for o in decision.options if o.kind in (liked, "yes", "agree")]
        chosen = rng.choice(best if best and rng.random() < 0.7 else decision.options)
        step = game.act(step.state, seat, Answer(decision.id, chosen.id))


@pytest.mark.parametrize("what", ["base", "workshop", *FITTING])
def test_what_is_told_is_never_more_than_was_reckoned_with(what: str) -> None:
    cards = {"base": BASE, "workshop": WORKSHOP}.get(what) or FITTING[what].cards
    assert cards is not None
    most = worst(cards)
    assert most.total <= MAX_VALUES
    for number in range(4):
        view, events, options, total = sizes(cards, number)
        assert view <= most.view
        assert events <= most.events
        assert options <= most.options
        assert total <= most.total
