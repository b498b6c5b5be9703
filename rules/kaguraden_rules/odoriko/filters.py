"""Reading filters and scoring terms, and whether a filter can match anything (OD-182, OD-183)."""

from __future__ import annotations

from collections.abc import Callable

from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.faces import FACES, Colour, Face, Rank, Suit
from kaguraden_rules.odoriko.reading import Node, Table

__all__ = [
    "COUNTED_ZONES",
    "FIELDS",
    "ID_PATTERN",
    "check_counted",
    "check_place_of_match",
    "may_match",
    "read_id",
    "read_match",
    "read_term",
]

ID_PATTERN = r"[a-z][a-z0-9_]{1,31}"
ID_WORDS = "an id: a small letter, then 1 to 31 small letters, digits or underscores"

FIELDS = (c.Zone.FIELDS, c.Zone.SONG, c.Zone.DANCE)
COUNTED_ZONES = (*FIELDS, c.Zone.DISCARD, c.Zone.HAND)


def read_id(node: Node | None) -> str:
    """Read the id of a card or a set (OD-181)."""
    return "" if node is None else node.matching(ID_PATTERN, ID_WORDS)


def read_match(node: Node | None) -> c.Match:
    """Read a filter (OD-183); none at all lets every card pass."""
    if node is None:
        return c.Match()
    faults = len(node.report.faults)
    t = node.table(optional=("kind", "suit", "colour", "rank", "min", "max", "fc", "this", "id"))
    match = c.Match(
        kind=() if (n := t.get("kind")) is None else n.choices(c.Kind),
        suit=() if (n := t.get("suit")) is None else n.choices(Suit),
        colour=t.choice("colour", Colour, None),
        rank=() if (n := t.get("rank")) is None else n.choices(Rank),
        min=t.integer("min", -99, 99, None),
        max=t.integer("max", -99, 99, None),
        fc=t.boolean("fc", None),
        this=t.boolean("this", None),
        id=() if (n := t.get("id")) is None else tuple(map(_read_card_id, n.items(1, 40))),
    )
    if len(node.report.faults) == faults and not may_match(match):
        node.fault("V-11", "a filter that some card can match")
    return match


def _read_card_id(node: Node) -> CardId:
    return CardId(read_id(node))


def may_match(match: c.Match, fits: Callable[[Face | None], bool] = lambda _: True) -> bool:
    """Whether some card can match, among the faces (None: characters, events) that fit."""
    kinds = match.kind or tuple(c.Kind)
    if not (match.fc or match.this or match.id):
        for face in filter(fits, FACES.values()):
            if (
                (c.Kind.SPECIAL if face.value is None else c.Kind.RESOURCE) in kinds
                and (not match.suit or face.suit in match.suit)
                and match.colour in (None, face.colour)
                and (not match.rank or face.rank in match.rank)
                and _in_range(match, face.value)
            ):
                return True
    if not fits(None) or match.suit or match.rank or match.colour is not None:
        return False
    if not _in_range(match, None):
        return False
    return c.Kind.CHARACTER in kinds or (c.Kind.EVENT in kinds and not match.fc)


def _in_range(match: c.Match, value: int | None) -> bool:
    if match.min is None and match.max is None:
        return True
    if value is None:
        return False
    low = match.min is None or match.min <= value
    return low and (match.max is None or value <= match.max)


def check_place_of_match(
    node: Node, match: c.Match, zone: c.Zone, *, is_event: bool = False
) -> None:
    """Find filters on marks where there are none: in an event, and off the fields."""
    if is_event and match.this is not None:
        node.fault("V-09", "no this in an event: it does not lie on a field")
    elif zone not in FIELDS and (match.fc or match.this):
        node.fault("V-11", "no fc or this outside the fields: a card has no mark there")


def check_counted(
    node: Node, scope: c.Scope, zone: c.Zone, match: c.Match, *, is_event: bool = False
) -> None:
    """Find counts of cards that are hidden, or by marks where there are none."""
    if zone is c.Zone.HAND and scope is not c.Scope.OWN:
        node.fault("V-08", "scope own with zone hand: other hands are hidden")
    else:
        check_place_of_match(node, match, zone, is_event=is_event)


def read_term(node: Node) -> c.ScoreTerm:
    """Read a scoring term (OD-182)."""
    faults = len(node.report.faults)
    t = node.table(("scope", "zone"), ("match", "each", "at_least", "vp", "measure"))
    scope = t.choice("scope", c.Scope, c.Scope.OWN)
    zone = t.choice("zone", COUNTED_ZONES, c.Zone.FIELDS)
    match = read_match(t.get("match"))
    worth = _read_worth(node, t, zone)
    if len(node.report.faults) == faults:
        check_counted(node, scope, zone, match)
    return c.ScoreTerm(scope, zone, match, worth)


def _read_worth(node: Node, t: Table, zone: c.Zone) -> c.Each | c.Threshold:
    each, at_least, vp = t.get("each"), t.get("at_least"), t.get("vp")
    measure = t.choice("measure", c.Measure, c.Measure.COUNT)
    if (each is None) == (at_least is None):
        node.fault("V-07", "exactly one of each and at_least")
        return c.Each(0)
    if measure is c.Measure.TREE and zone not in (c.Zone.SONG, c.Zone.DANCE):
        node.fault("V-07", "zone song or dance with measure tree")
    if each is not None:
        if vp is not None:
            vp.fault("V-07", "no vp beside each")
        if measure is c.Measure.TREE:
            each.fault("V-07", "at_least and vp with measure tree")
        return c.Each(each.integer(-9, 9))
    if vp is None:
        node.fault("V-07", "vp beside at_least")
    amount = 1 if at_least is None else at_least.integer(1, 99)
    return c.Threshold(amount, 0 if vp is None else vp.integer(-20, 20), measure)
