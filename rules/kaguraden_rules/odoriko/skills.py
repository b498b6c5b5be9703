"""Skills that lie face up: where they are, and whether they might be used now (OD-63).

Every way to use one is in `offers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.needs import does_what_it_must, holds, may_pay
from kaguraden_rules.odoriko.picks import look_at
from kaguraden_rules.odoriko.refs import Back, Field, back, face
from kaguraden_rules.odoriko.state import Lying, Named, Turn
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import domain, lying_labels

__all__ = ["FaceUp", "face_up_skills", "is_spent", "may_be_used", "skill_at"]


@frozen
class FaceUp:
    """A skill of a character that lies face up on a field; that is all it takes (OD-63)."""

    at: Named
    lying: Lying
    skill: c.Skill


def _any_skill(_: c.Skill) -> bool:
    return True


def face_up_skills(
    table: Table, seat: SeatId, wanted: Callable[[c.Skill], bool] = _any_skill
) -> Iterator[FaceUp]:
    """Yield the skills of a seat's characters that are wanted, song field first."""
    for zone, y in domain(table.seats[seat]):
        if back(y.card) is Back.RESOURCE:  # most cards; windows look here often
            continue
        card = table.cards.get(face(y.card))
        skill = card.skill if isinstance(card, c.Character) else None
        if skill is not None and wanted(skill):
            yield FaceUp(Named(seat, zone.value, y.card, y.since, y.kept), y, skill)


def skill_at(table: Table, seat: SeatId, zone: str, label: str) -> FaceUp:
    """Return the skill of the character that an option names."""
    since = lying_labels(table.seats[seat], Field(zone))[label].since
    return next(found for found in face_up_skills(table, seat) if found.at.since == since)


def is_spent(table: Table, lying: Lying) -> bool:
    """Whether a skill that was used has reached its limit (OD-184)."""
    turn = table.stage
    return lying.spent is not None and isinstance(turn, Turn) and turn.number <= lying.spent


def may_be_used(table: Table, found: FaceUp, actor: SeatId | None = None) -> bool:
    """Whether a skill might be used as to conditions and costs, by what is public (OD-216)."""
    skill, at = found.skill, found.at
    if not (skill.conditions or skill.cost or skill.limit or any(line.must for line in skill.do)):
        return True
    look = look_at(table, at.seat, this=at.since, actor=actor)
    return (
        not is_spent(table, found.lying)
        and all(holds(look, condition, public=True) for condition in skill.conditions)
        and may_pay(look, skill.cost)
        and does_what_it_must(look, skill.do, at, public=True)
    )
