"""How much there may be to tell at once in a game with a card set, at worst (YU-142).

One message brings a viewer the whole view, what has happened since the last one, and the options of
its decision. What cards say decides how large that can get: so many choices, so many effects in a
row. A set that could not be told is refused before anybody sits down to it, because a room that
cannot tell what has happened cannot go on.

Everything is counted in JSON values, as the protocol does, and never too low: each part is taken at
its worst, whether or not all of them can come together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from attrs import evolve, frozen

from kaguraden_rules.yumeochi import card as c

__all__ = ["MAX_VALUES", "Worst", "worst"]

MAX_VALUES: Final = 4_000  # of the 4096 of a message; the rest is for what stands around them

_SKILLS: Final = 6
_SKILLS_OF_A_SEAT: Final = 3  # its own and the leftover: whatever moves, no seat has more
_HOURS: Final = len(c.HOURS)
_STROKES: Final = 2  # of the clock, until somebody is asked: of four seats each can miss one turn
_OPENED: Final = 3  # by one action: the current, the next and the picked position

# --- values of a view while a game is played, without the cards that are counted below
_VIEW: Final = 320
_RECEIVED: Final = 6  # an entry of `seen`; each of the 48 turns can bring a seat one
_SEEN_OF_EXCHANGES: Final = _RECEIVED * 4 * _HOURS

# --- values of what an update tells besides effects
_ACTION: Final = 17 + 6 + 6  # what is done, the card it turns up, the item it discards
_OPENING: Final = 19 + 6  # a card is opened, and put somewhere
_TRIGGER: Final = 4 + 6
_HOUR: Final = 86  # a phase ends, all its seats lose their turns, the next begins
_DEATHS: Final = 184  # of all four seats
_END: Final = 215 + 110  # a game ends and another may begin; what the view shows of the end

# --- values of options: `open`, `take` and `pass`, what stands around options, one of two picks
_PLAIN: Final = 4
_AROUND: Final = 10
_OF_TWO: Final = 6


@frozen
class Worst:
    """The most values of each part of a message."""

    view: int  # with all that the seat was ever shown
    events: int  # between two questions
    options: int  # of a turn
    end: int  # what is told of the end of a game and of the beginning of another
    fresh: int  # the view at the beginning of a game

    @property
    def total(self) -> int:
        """The most that can come together: at the end nobody has a turn, or it is a new game's."""
        ends = max(self.view + self.end, self.fresh + self.end + self.options)
        return self.events + max(self.view + self.options, ends)


@frozen
class _Told:
    """What effects may tell: values of events, and of `seen` in the view of the acting seat."""

    events: int = 0
    seen: int = 0

    def __add__(self, other: _Told) -> _Told:
        return _Told(self.events + other.events, self.seen + other.seen)

    def __or__(self, other: _Told) -> _Told:
        """Return what either of two may tell."""
        return _Told(max(self.events, other.events), max(self.seen, other.seen))

    def times(self, n: int) -> _Told:
        """Return what is told if it happens so often."""
        return _Told(self.events * n, self.seen * n)


def worst(cards: c.CardSet) -> Worst:
    """Return how much there can be to tell with these cards."""
    skills = [skill.ability for skill in cards.skills]
    actions = [role.action for role in cards.roles if role.action is not None]
    used = [time.use for time in cards.times if time.use is not None]
    act = _any_of(_ability(ability) for ability in (*skills, *actions, *used))
    opened = [_opened(time) for time in cards.times]
    triggers = [time.trigger for time in cards.times if time.trigger is not None]
    strokes = _strokes(cards, triggers)
    fired = [_effects(t.effects) + _Told(_TRIGGER) for t in triggers]
    hours = [len(t.hours) if t.is_kept else 1 for t in triggers]
    roles = len(cards.roles)

    seen = act.times(_HOURS).seen + sum(told.seen for told in opened)
    seen += sum(told.times(n).seen for told, n in zip(fired, hours, strict=True))
    openings = _OPENED + (2 * strokes if any(_has(t.effects, c.Open) for t in triggers) else 0)
    events = _ACTION + act.events
    events += sum(sorted((told.events for told in opened), reverse=True)[:openings])
    events += sum(told.events * min(n, strokes) for told, n in zip(fired, hours, strict=True))
    fresh = _VIEW + roles
    return Worst(
        view=fresh + sum(map(_case_hours, cards.times)) + _SEEN_OF_EXCHANGES + seen,
        events=events + strokes * _HOUR + _DEATHS,
        options=_turn(cards),
        end=_END + 4 * roles,
        fresh=fresh,
    )


def _any_of(told: Iterable[_Told]) -> _Told:
    most = _Told()
    for one in told:
        most |= one
    return most


def _strokes(cards: c.CardSet, triggers: Iterable[c.Trigger]) -> int:
    """Return how many hours can pass before anybody is asked.

    All of them where what happens at the stroke of an hour can take everybody's turn again, unless
    somebody is asked whether it does.
    """
    contents = [e for time in cards.times if time.opened for e in _contents(time.opened)]
    for trigger in triggers:
        if _has(trigger.effects, c.Skip, unasked=True):
            return _HOURS
        if _has(trigger.effects, c.Open, unasked=True) and _has(contents, c.Skip, unasked=True):
            return _HOURS
    return _STROKES


def _contents(ability: c.Ability) -> list[c.Effect]:
    return [effect for case in ability.cases for effect in case.effects]


def _case_hours(time: c.TimeCard) -> int:
    """Return how many values say which contents of an opened card applied (YU-49)."""
    if time.opened is None or not time.opened.is_timed:
        return 0
    return 1 + max((len(case.hours) for case in time.opened.cases), default=0)


# --- effects -------------------------------------------------------------------------------------

_SEATS: Final = {"self": 1, "target": 1, "left": 1, "right": 1, "all": 4, "others": 3}


def _ability(ability: c.Ability) -> _Told:
    return _any_of(_effects(case.effects) for case in ability.cases)


def _opened(time: c.TimeCard) -> _Told:
    return _Told(_OPENING) + (_Told() if time.opened is None else _ability(time.opened))


def _effects(effects: Iterable[c.Effect]) -> _Told:
    told = _Told()
    for effect in effects:
        told += _effect(effect)
    return told


def _effect(effect: c.Effect) -> _Told:
    match effect:
        case c.Damage(to=to) | c.Heal(to=to):
            return _Told(9 * _SEATS[to])
        case c.Skip(to) | c.Protect(to):
            return _Told(5 * _SEATS[to])
        case c.Reveal("role", to):
            return _Told(6 * _SEATS[to])
        case c.Reveal(_, to):
            return _Told(6 * min(_SKILLS, _SKILLS_OF_A_SEAT * _SEATS[to]))
        case c.MoveMarker():
            return _Told(6 + 7)
        case c.Peek():
            return _Told(7 + _SKILLS_OF_A_SEAT, 6 + _SKILLS_OF_A_SEAT)
        case c.May(effects):
            return _Told(7) + _effects(effects)
        case c.If(_, then, otherwise):
            return _effects(then) | _effects(otherwise)
        case c.Guess(then, otherwise):
            return _Told(7) + (_effects(then) | _effects(otherwise))
        case c.Swap("life"):
            return _Told(5 + 2 * 9)
        case c.Take() | c.Discard() | c.Swap():
            return _Told(2 * 7)  # a skill that is received is counted with the exchanges
        case c.Gain():
            return _Told(2 * (7 + 2 * _SKILLS_OF_A_SEAT), 4 + _SKILLS_OF_A_SEAT)
        case c.Draw():
            return _Told(10 + 10, 10 + 6)
        case c.Open():
            return _Told()  # the cards that are opened are counted for themselves
        case _:
            assert_never(effect)


def _has(effects: Iterable[c.Effect], kind: type[c.Effect], *, unasked: bool = False) -> bool:
    """Tell whether effects can come to one of a kind, short of what they open.

    Args:
        effects: They and those inside them.
        kind: The kind.
        unasked: Whether what a seat may decline does not count.
    """
    for effect in effects:
        inner: tuple[c.Effect, ...] = ()
        match effect:
            case c.May(asked) if not unasked:
                inner = asked
            case c.If(_, then, otherwise) | c.Guess(then, otherwise):
                inner = then + otherwise
        if isinstance(effect, kind) or _has(inner, kind, unasked=unasked):
            return True
    return False


# --- options -------------------------------------------------------------------------------------


@frozen
class _Lie:
    """How cards lie in a turn: the more items have been opened, the fewer are left on the clock."""

    hour: int
    items: int  # in front of seats
    down: int  # time cards that lie face down, at most
    skills: int  # of a seat
    roles: int


def _turn(cards: c.CardSet) -> int:
    """Return the most values of the options of a turn (DP-1)."""
    items = sum(time.time_kind is c.TimeKind.ITEM for time in cards.times)
    skills = _SKILLS_OF_A_SEAT if _can_gain(cards) else 1
    return max(
        _options(cards, _Lie(hour, opened, _HOURS - opened, skills, len(cards.roles)))
        for hour in c.HOURS
        for opened in range(items + 1)
    )


def _can_gain(cards: c.CardSet) -> bool:
    """Tell whether a seat can get more skills than it gives away."""
    abilities = [skill.ability for skill in cards.skills]
    abilities += [role.action for role in cards.roles if role.action is not None]
    for time in cards.times:
        abilities += [ability for ability in (time.opened, time.use) if ability is not None]
    triggers = [time.trigger.effects for time in cards.times if time.trigger is not None]
    effects = [*map(_contents, abilities), *triggers]
    return any(_has(of_one, c.Gain) for of_one in effects)


def _options(cards: c.CardSet, lie: _Lie) -> int:
    """Return the most values of the options of a turn, if the seat has all items there are."""
    by_skills = (_uses(skill.ability, lie) for skill in cards.skills)
    others = evolve(lie, items=max(0, lie.items - 1))  # than the item itself
    by_items = (_uses(time.use, others) for time in cards.times)
    by_roles = (_uses(role.action, lie, named=0) for role in cards.roles)
    given = 3 * lie.items + 3 * lie.skills  # `give` and `exchange`
    return (
        _AROUND
        + 3 * _PLAIN
        + given * _OF_TWO
        + _most(by_skills, lie.skills)
        + _most(by_items, lie.items)
        + _most(by_roles, 1)
    )


def _most(numbers: Iterable[int], n: int) -> int:
    """Return the sum of the largest numbers."""
    return sum(sorted(numbers, reverse=True)[:n])


def _uses(ability: c.Ability | None, lie: _Lie, named: int = 2) -> int:
    """Return the most values of the ways to use an ability.

    Args:
        ability: What is used, if it can be.
        lie: How the cards lie.
        named: How many values say in each option which card it is.
    """
    if ability is None:
        return 0
    return _choices(ability.picks, lie) * (_PLAIN + named + len(ability.picks))


def _choices(picks: tuple[c.Pick, ...], lie: _Lie) -> int:
    """Return how many ways there are at most to make choices."""
    seats, n = 1, _places(picks, lie)
    theirs: set[str] = set()  # what is picked of the target
    mine: set[str] = set()
    for pick in picks:
        match pick:
            case c.PickSeat(who):
                seats = 4 if who == "any" else 3
            case c.PickItem(of) | c.PickSkill(of):
                (theirs if of == "target" else mine).add(pick.kind)
            case c.PickRole():
                n *= lie.roles
            case c.PickHour():
                pass  # counted already
            case _:
                assert_never(pick)
    if "skill" in mine:
        n *= lie.skills
    items = lie.items
    if "item" in theirs and "item" in mine:
        # a seat that may mean itself can pick its own items on both sides
        n *= items * items if seats > 3 else (items // 2) * ((items + 1) // 2)
    elif "item" in theirs | mine:
        n *= items
    if "item" in theirs:  # all seats together have no more items than there are
        return n * (_SKILLS_OF_A_SEAT if "skill" in theirs else 1)
    return n * (_SKILLS if "skill" in theirs else seats)


def _places(picks: tuple[c.Pick, ...], lie: _Lie) -> int:
    """Return how many ways there are at most to pick positions of the clock."""
    reach = {"any": _HOURS, "later": _HOURS - lie.hour + 1, "past": lie.hour - 1}
    found, n = 0, 1
    for pick in picks:
        if isinstance(pick, c.PickHour):
            n *= max(0, min(reach[pick.when], lie.down - found))
            found += 1
    return n
