"""Reading what a skill or an event needs and does: conditions, costs, picks and effect lines.

The tables are those of OD-185, OD-186 and OD-187. A line is checked against the `Bearer` that it
belongs to, so that no card reads hidden cards (V-08), answers what is not there (V-09), asks for
more than one answer can hold (OD-221) or places what can lie nowhere (V-12).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

from attrs import evolve, field, frozen

from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.faces import Colour, Face
from kaguraden_rules.odoriko.filters import (
    COUNTED_ZONES,
    FIELDS,
    check_counted,
    check_place_of_match,
    may_match,
    read_match,
)
from kaguraden_rules.odoriko.reading import Node, Table

__all__ = ["Bearer", "read_conditions", "read_costs", "read_ops"]

_PICKED = (*FIELDS, c.Zone.DISCARD, c.Zone.HAND, c.Zone.SHOWN)
_NOT_DISCARDED = (*FIELDS, c.Zone.HAND, c.Zone.SHOWN)


@frozen
class Bearer:
    """The skill or event whose lines are read, as far as they depend on it.

    `on` and `match` are what a skill answers; an event has neither them nor a timing.
    """

    is_event: bool
    timing: c.Timing | None = None
    on: c.AnswerTo | None = None
    match: c.Match = field(factory=c.Match)
    has_shown: bool = False  # a line before turns up cards of a deck

    @property
    def answers_a_card(self) -> bool:
        """Whether there is a card that `cancel` can stop and that has a player."""
        return self.timing in (c.Timing.EVENT, c.Timing.SPECIAL_CARD)


# --- conditions and costs ----------------------------------------------------------------------

_CONDITIONS = ("vp_at_least", "vp_at_most", "tree", "count", "hand_at_least", "half")
_COSTS = ("discard", "vp")


def _only_entry(node: Node, keys: tuple[str, ...]) -> tuple[str, Node] | None:
    """Return the one key of a table such as `{ vp = 1 }` and its value."""
    t = node.table(optional=keys)
    if len(t.entries) != 1:
        if isinstance(node.value, dict) and len(t.entries) == len(node.value):
            node.fault("V-03", f"exactly one of {', '.join(keys)}")
        return None
    (key,) = t.entries
    inner = t.get(key)
    return None if inner is None else (key, inner)


def read_conditions(node: Node | None, bearer: Bearer) -> tuple[c.Condition, ...]:
    """Read the entries of `if` (OD-185); all must hold."""
    read: list[c.Condition] = []
    for entry in () if node is None else node.items(1, 6):
        match _only_entry(entry, _CONDITIONS):
            case "vp_at_least", n:
                read.append(c.VpAtLeast(n.integer(-99, 99)))
            case "vp_at_most", n:
                read.append(c.VpAtMost(n.integer(-99, 99)))
            case "hand_at_least", n:
                read.append(c.HandAtLeast(n.integer(1, 4)))
            case "half", n:
                read.append(c.InHalf(n.integer(1, 2)))
            case "tree", n:
                read.append(_read_tree(n))
            case "count", n:
                read.append(_read_count(n, bearer))
    return tuple(read)


def _read_tree(node: Node) -> c.TreeAtLeast:
    t = node.table(("zone", "at_least"))
    zones = (c.Zone.ANY, c.Zone.SONG, c.Zone.DANCE)
    return c.TreeAtLeast(t.choice("zone", zones, c.Zone.ANY), t.integer("at_least", 1, 99, 1))


def _read_count(node: Node, bearer: Bearer) -> c.CountAtLeast:
    t = node.table(("scope", "zone", "at_least"), ("match",))
    count = c.CountAtLeast(
        t.choice("scope", c.Scope, c.Scope.OWN),
        t.choice("zone", COUNTED_ZONES, c.Zone.FIELDS),
        read_match(t.get("match")),
        t.integer("at_least", 1, 52, 1),
    )
    check_counted(node, count.scope, count.zone, count.match, is_event=bearer.is_event)
    return count


def read_costs(node: Node | None, bearer: Bearer) -> tuple[c.Cost, ...]:
    """Read the entries of `cost` (OD-185).

    One of them may take cards off the fields, and a hand must be able to hold what all of them take.
    """
    read: list[c.Cost] = []
    from_fields, from_hand = 0, 0
    most = 3 if bearer.is_event else 4  # an event has left the hand when it is paid
    for entry in () if node is None else node.items(1, 4):
        match _only_entry(entry, _COSTS):
            case "vp", n:
                read.append(c.VpCost(n.integer(1, 20)))
            case "discard", n:
                t = n.table(("zone", "n"), ("match",))
                zones = (c.Zone.HAND, c.Zone.FIELDS)
                cost = c.DiscardCost(
                    t.choice("zone", zones, c.Zone.HAND),
                    read_match(t.get("match")),
                    t.integer("n", 1, 4, 1),
                )
                from_fields += cost.zone is c.Zone.FIELDS
                from_hand += cost.n if cost.zone is c.Zone.HAND else 0
                if cost.match.this and (bearer.is_event or cost.zone is c.Zone.HAND):
                    n.fault("V-13", "a cost that can be paid: this card does not lie there")
                elif cost.zone is c.Zone.HAND and from_hand > most:
                    n.fault("V-13", f"a cost that can be paid: at most {most} hand cards in all")
                elif cost.zone is c.Zone.FIELDS and from_fields > 1:
                    n.fault("V-13", "one cost on the fields at most")
                else:
                    check_place_of_match(n, cost.match, cost.zone, is_event=bearer.is_event)
                read.append(cost)
    return tuple(read)


# --- picks and effect lines --------------------------------------------------------------------


def _read_pick(
    node: Node | None,
    bearer: Bearer,
    zones: tuple[c.Zone, ...],
    *,
    holders_may: bool = False,
) -> c.Pick:
    if node is None:
        return c.Pick(c.Whose.SELF, c.Zone.FIELDS)
    faults = len(node.report.faults)
    t = node.table(("whose", "zone"), ("match", "n", "upto", "by", "holders"))
    holders = t.get("holders")
    pick = c.Pick(
        whose=t.choice("whose", c.Whose, c.Whose.SELF),
        zone=t.choice("zone", zones, zones[0]),
        match=read_match(t.get("match")),
        n=1 if (n := t.get("n")) is None else _read_number(n),
        upto=t.boolean("upto", default=False),
        by=t.choice("by", c.By, c.By.USER),
        hand_at_least=0 if holders is None else _read_holders(holders),
    )
    if len(node.report.faults) > faults:
        return pick
    each = pick.whose in (c.Whose.EACH, c.Whose.EACH_OTHER)
    by_holder = pick.by is c.By.HOLDER
    if pick.zone is c.Zone.HAND and pick.whose is not c.Whose.SELF and not by_holder:
        node.fault("V-08", "by holder with another seat's hand: it is hidden")
    elif pick.zone is c.Zone.SHOWN and not bearer.has_shown:
        node.fault("V-08", "a show line before a pick among shown cards")
    elif pick.zone is c.Zone.SHOWN and pick.whose is not c.Whose.SELF:
        node.fault("V-09", "whose self with zone shown")
    elif by_holder and not holders_may:
        node.fault("V-09", "by user: holders choose in discard, place and take alone")
    elif by_holder and not each:
        node.fault("V-09", "whose each or each_other with by holder")
    elif each and not by_holder:
        node.fault("V-09", "by holder with whose each or each_other")
    elif holders is not None and not by_holder:
        holders.fault("V-09", "holders only with by holder")
    else:
        check_place_of_match(node, pick.match, pick.zone, is_event=bearer.is_event)
    _check_whose(node, pick.whose, bearer)
    return pick


def _read_number(node: Node) -> int | None:
    return None if node.value == "any" else node.integer(1, 4)


def _read_holders(node: Node) -> int:
    return node.table(("hand_at_least",)).integer("hand_at_least", 1, 4, 0)


def _read_whose(t: Table, allowed: tuple[c.Whose, ...], bearer: Bearer) -> c.Whose:
    node = t.get("whose")
    if node is None:
        return c.Whose.SELF
    whose = node.choice(allowed)
    _check_whose(node, whose, bearer)
    return whose


def _check_whose(node: Node, whose: c.Whose, bearer: Bearer) -> None:
    if whose is c.Whose.ACTOR and not bearer.answers_a_card:
        node.fault("V-09", "whose actor only where a card is answered")


def read_ops(node: Node | None, bearer: Bearer) -> tuple[c.Op, ...]:
    """Read the effect lines of `do` (OD-187)."""
    ops: list[c.Op] = []
    for entry in () if node is None else node.items(1, 8):
        named = entry.peek("op")
        if named is None:
            entry.report.add("V-03", f"{entry.path}.op", "the key op")
            continue
        faults = len(entry.report.faults)
        name = named.choice(_OpName)
        if len(entry.report.faults) == faults:
            ops.append(_OPS[name](entry, bearer))
            if name is _OpName.SHOW:
                bearer = evolve(bearer, has_shown=True)
    return tuple(ops)


class _OpName(enum.StrEnum):
    DISCARD = "discard"
    PLACE = "place"
    TAKE = "take"
    EXCHANGE = "exchange"
    DRAW = "draw"
    SHOW = "show"
    PEEK = "peek"
    VP = "vp"
    FC = "fc"
    CANCEL = "cancel"
    REDIRECT = "redirect"
    ACTIONS = "actions"
    MARK = "mark"


def _must(t: Table) -> bool:
    return t.boolean("must", default=False)


def _op_table(node: Node, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Table:
    return node.table(("op", *required), (*optional, "must"))


def _read_discard(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, (), ("this", "pick"))
    this, pick = t.get("this"), t.get("pick")
    if (this is None) == (pick is None):
        node.fault("V-03", "exactly one of this = true and pick")
        return c.Discard(None)
    if pick is not None:
        picked = _read_pick(pick, bearer, _NOT_DISCARDED, holders_may=True)
        return c.Discard(picked, _must(t))
    if this is not None and not this.boolean():
        this.fault("V-04", "true")
    _only_on_a_character(node, bearer)
    return c.Discard(None, _must(t))


def _only_on_a_character(node: Node, bearer: Bearer) -> None:
    if bearer.is_event:
        node.fault("V-09", "a character's skill: an event does not lie on a field")


def _read_place(node: Node, bearer: Bearer) -> c.Op:
    faults = len(node.report.faults)
    t = _op_table(node, ("pick", "to"))
    pick = _read_pick(t.get("pick"), bearer, _PICKED, holders_may=True)
    whose, zone = c.Whose.SELF, None
    if (to := t.get("to")) is not None:
        inner = to.table(("whose", "zone"))
        if (n := inner.get("whose")) is not None:
            allowed = (c.Whose.SELF, c.Whose.OTHERS, c.Whose.ONE_OTHER, c.Whose.ACTOR)
            whose = _read_whose(inner, allowed, bearer)
            if pick.by is c.By.HOLDER and whose in (c.Whose.OTHERS, c.Whose.ONE_OTHER):
                n.fault("V-09", "whose self or actor where holders choose")
        if (n := inner.get("zone")) is not None:
            zone = _TO_ZONES[n.choice(_ToZone)]

    def may_lie(face: Face | None) -> bool:
        if face is None:
            return True
        home = c.Zone.SONG if face.colour is Colour.RED else c.Zone.DANCE
        return face.value is not None and zone in (None, home)

    if len(node.report.faults) == faults:
        match = pick.match
        is_event_only = match.kind == (c.Kind.EVENT,)
        if is_event_only or not may_match(match, may_lie):
            node.fault("V-12", "cards that may lie on that field")
    return c.Place(pick, c.PlaceTo(whose, zone), _must(t))


class _ToZone(enum.StrEnum):
    SONG = "song"
    DANCE = "dance"
    MATCH = "match"


_TO_ZONES = {_ToZone.SONG: c.Zone.SONG, _ToZone.DANCE: c.Zone.DANCE, _ToZone.MATCH: None}


def _read_take(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("pick", "to"))
    return c.Take(
        _read_pick(t.get("pick"), bearer, _PICKED, holders_may=True),
        t.choice("to", c.GainTo, c.GainTo.SELF),
        _must(t),
    )


def _read_exchange(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("a", "b"), ("same_zone",))
    return c.Exchange(
        _read_exchanged(t.get("a"), bearer),
        _read_exchanged(t.get("b"), bearer),
        t.boolean("same_zone", default=False),
        _must(t),
    )


def _read_exchanged(node: Node | None, bearer: Bearer) -> c.Pick:
    pick = _read_pick(node, bearer, FIELDS)
    if node is not None and (pick.n != 1 or pick.upto):
        node.fault("V-04", "n = 1 without upto in an exchange")
    return pick


def _read_draw(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("deck", "n"))
    return c.Draw(*_deck_and_number(t), _must(t))


def _read_show(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("deck", "n"))
    return c.Show(*_deck_and_number(t), _must(t))


def _deck_and_number(t: Table) -> tuple[c.DeckName, int]:
    return t.choice("deck", c.DeckName, c.DeckName.RESOURCE), t.integer("n", 1, 4, 1)


def _read_peek(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("whose",))
    allowed = (c.Whose.ONE_OTHER, c.Whose.EACH_OTHER, c.Whose.ACTOR)
    return c.Peek(_read_whose(t, allowed, bearer), _must(t))


def _read_vp(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("n",), ("whose",))
    allowed = (c.Whose.SELF, c.Whose.ONE_OTHER, c.Whose.ACTOR, c.Whose.EACH, c.Whose.EACH_OTHER)
    whose = _read_whose(t, allowed, bearer)
    amount, number = t.get("n"), t.integer("n", -20, 20, 1)
    if amount is not None and number == 0:
        amount.fault("V-04", "a number other than 0: this line would do nothing")
    return c.AddVp(number, whose, _must(t))


def _read_fc(node: Node, bearer: Bearer) -> c.Op:
    _only_on_a_character(node, bearer)
    return c.SetFirst(_must(_op_table(node, ())))


def _read_cancel(node: Node, bearer: Bearer) -> c.Op:
    if not bearer.answers_a_card:
        node.fault("V-09", "timing event or special_card: only their cards can be cancelled")
    return c.Cancel(_must(_op_table(node, ())))


def _read_redirect(node: Node, bearer: Bearer) -> c.Op:
    on_character = bearer.match.kind == (c.Kind.CHARACTER,)
    if bearer.on is not c.AnswerTo.K_DECLARED or not on_character:
        node.fault("V-09", 'on = "k_declared" with match = { kind = ["character"] }')
    return c.Redirect(_must(_op_table(node, ())))


def _read_actions(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("n",))
    return c.AddActions(t.integer("n", 1, 4, 1), _must(t))


def _read_mark(node: Node, bearer: Bearer) -> c.Op:
    t = _op_table(node, ("pick", "on", "mark", "until"))
    pick: c.Pick | c.FieldPick = c.FieldPick(c.Whose.SELF)
    on = t.choice("on", _MarkOn, None)
    picked = t.get("pick")
    if on is _MarkOn.FIELD and picked is not None:
        pick = _read_field_pick(picked, bearer)
    elif on is _MarkOn.CARD and picked is not None:
        pick = _read_pick(picked, bearer, FIELDS)
    mark = c.Mark.FROZEN
    if (n := t.get("mark")) is not None:
        mark = n.choice(c.Mark)
        if on is not None and _MARKS[mark] is not on:
            n.fault("V-09", f'on = "{_MARKS[mark]}" with this mark')
    t.choice("until", _Until, None)
    return c.PutMark(pick, mark, _must(t))


class _MarkOn(enum.StrEnum):
    FIELD = "field"
    CARD = "card"


class _Until(enum.StrEnum):
    MY_NEXT_TURN = "my_next_turn"


_MARKS = {c.Mark.FROZEN: _MarkOn.FIELD, c.Mark.SHELTERED: _MarkOn.CARD}


def _read_field_pick(node: Node, bearer: Bearer) -> c.FieldPick:
    t = node.table(("whose",), ("zone", "n"))
    allowed = (c.Whose.SELF, c.Whose.OTHERS, c.Whose.ANY, c.Whose.ONE_OTHER, c.Whose.ACTOR)
    whose = _read_whose(t, allowed, bearer)
    t.integer("n", 1, 1, None)
    return c.FieldPick(whose, t.choice("zone", FIELDS, c.Zone.FIELDS))


_OPS: Mapping[_OpName, Callable[[Node, Bearer], c.Op]] = {
    _OpName.DISCARD: _read_discard,
    _OpName.PLACE: _read_place,
    _OpName.TAKE: _read_take,
    _OpName.EXCHANGE: _read_exchange,
    _OpName.DRAW: _read_draw,
    _OpName.SHOW: _read_show,
    _OpName.PEEK: _read_peek,
    _OpName.VP: _read_vp,
    _OpName.FC: _read_fc,
    _OpName.CANCEL: _read_cancel,
    _OpName.REDIRECT: _read_redirect,
    _OpName.ACTIONS: _read_actions,
    _OpName.MARK: _read_mark,
}
