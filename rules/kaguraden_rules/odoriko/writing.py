"""Card data from cards: the inverse of `grammar` and `effects`, as plain JSON values (OD-180).

Clients and bots get what a card does in the same words as its author wrote it in, so they can judge
cards that nobody has seen before (OD-189).
"""

from __future__ import annotations

from collections.abc import Sequence

from kaguraden_rules.kernel import Json, Text
from kaguraden_rules.odoriko import card as c

__all__ = ["card_data", "match_data", "play_data", "skill_data", "term_data"]


def card_data(card: c.Card) -> dict[str, Json]:
    """Return a `[[card]]` entry that reads back as the same card."""
    entry: dict[str, Json] = {"id": card.id, "kind": card.kind.value, "name": _name(card.name)}
    if card.no is not None:
        entry["no"] = card.no
    if card.text is not None:
        entry["text"] = _text(card.text)
    if isinstance(card, c.EventCard):
        entry["play"] = play_data(card.play)
        return entry
    if card.score:
        entry["score"] = [term_data(term) for term in card.score]
    if card.skill is not None:
        entry["skill"] = {"name": _name(card.skill.name), **skill_data(card.skill)}
    return entry


def _name(name: c.Name) -> dict[str, Json]:
    entry = _text(name.text)
    if name.roman is not None:
        entry["roman"] = name.roman
    return entry


def _text(text: Text) -> dict[str, Json]:
    return {"ja": text.ja, "en": text.en}


def term_data(term: c.ScoreTerm) -> dict[str, Json]:
    """Return a scoring term."""
    entry: dict[str, Json] = {
        "scope": term.scope.value,
        "zone": term.zone.value,
        "match": match_data(term.match),
    }
    match term.worth:
        case c.Each(vp):
            entry["each"] = vp
        case c.Threshold(at_least, vp, measure):
            entry |= {"at_least": at_least, "vp": vp, "measure": measure.value}
    return entry


def match_data(match: c.Match) -> dict[str, Json]:
    """Return a filter."""
    entry: dict[str, Json] = {}
    if match.kind:
        entry["kind"] = [kind.value for kind in match.kind]
    if match.suit:
        entry["suit"] = [suit.value for suit in match.suit]
    if match.colour is not None:
        entry["colour"] = match.colour.value
    if match.rank:
        entry["rank"] = [rank.value for rank in match.rank]
    for key in ("min", "max", "fc", "this"):
        if (value := getattr(match, key)) is not None:
            entry[key] = value
    if match.id:
        entry["id"] = list(match.id)
    return entry


def skill_data(skill: c.Skill) -> dict[str, Json]:
    """Return a skill but for its name."""
    entry: dict[str, Json] = {"timing": skill.timing.value}
    if skill.on is not None:
        entry["on"] = skill.on.value
    if not skill.match.is_empty:
        entry["match"] = match_data(skill.match)
    entry |= _needs(skill.conditions, skill.cost)
    if skill.limit is not None:
        entry["limit"] = skill.limit.value
    entry["do"] = [_line(line) for line in skill.do]
    return entry


def play_data(play: c.Play) -> dict[str, Json]:
    """Return what an event does."""
    return {**_needs(play.conditions, play.cost), "do": [_line(line) for line in play.do]}


def _needs(conditions: Sequence[c.Condition], cost: Sequence[c.Cost]) -> dict[str, Json]:
    entry: dict[str, Json] = {}
    if conditions:
        entry["if"] = [_condition(condition) for condition in conditions]
    if cost:
        entry["cost"] = [_cost(part) for part in cost]
    return entry


def _condition(condition: c.Condition) -> dict[str, Json]:
    match condition:
        case c.VpAtLeast(n):
            return {"vp_at_least": n}
        case c.VpAtMost(n):
            return {"vp_at_most": n}
        case c.HandAtLeast(n):
            return {"hand_at_least": n}
        case c.InHalf(half):
            return {"half": half}
        case c.TreeAtLeast(zone, at_least):
            return {"tree": {"zone": zone.value, "at_least": at_least}}
        case c.CountAtLeast(scope, zone, match, at_least):
            count: dict[str, Json] = {"scope": scope.value, "zone": zone.value}
            return {"count": {**count, "match": match_data(match), "at_least": at_least}}


def _cost(cost: c.Cost) -> dict[str, Json]:
    match cost:
        case c.VpCost(n):
            return {"vp": n}
        case c.DiscardCost(zone, match, n):
            return {"discard": {"zone": zone.value, "match": match_data(match), "n": n}}


def _line(line: c.Op) -> dict[str, Json]:
    entry = _plain_line(line)
    if line.must:
        entry["must"] = True
    return entry


def _plain_line(line: c.Op) -> dict[str, Json]:
    match line:
        case c.Discard(pick):
            picked: dict[str, Json] = {"this": True} if pick is None else {"pick": _pick(pick)}
            return {"op": "discard", **picked}
        case c.Place(pick, to):
            zone = "match" if to.zone is None else to.zone.value
            return {
                "op": "place",
                "pick": _pick(pick),
                "to": {"whose": to.whose.value, "zone": zone},
            }
        case c.Take(pick, to):
            return {"op": "take", "pick": _pick(pick), "to": to.value}
        case c.Exchange(a, b, same_zone):
            return {"op": "exchange", "a": _pick(a), "b": _pick(b), "same_zone": same_zone}
        case c.Draw(deck, n):
            return {"op": "draw", "deck": deck.value, "n": n}
        case c.Show(deck, n):
            return {"op": "show", "deck": deck.value, "n": n}
        case c.Peek(whose):
            return {"op": "peek", "whose": whose.value}
        case c.AddVp(n, whose):
            return {"op": "vp", "n": n, "whose": whose.value}
        case c.SetFirst():
            return {"op": "fc"}
        case c.Cancel():
            return {"op": "cancel"}
        case c.Redirect():
            return {"op": "redirect"}
        case c.AddActions(n):
            return {"op": "actions", "n": n}
        case c.PutMark(pick, mark):
            is_field = isinstance(pick, c.FieldPick)
            return {
                "op": "mark",
                "pick": _field_pick(pick) if isinstance(pick, c.FieldPick) else _pick(pick),
                "on": "field" if is_field else "card",
                "mark": mark.value,
                "until": "my_next_turn",
            }


def _pick(pick: c.Pick) -> dict[str, Json]:
    entry: dict[str, Json] = {"whose": pick.whose.value, "zone": pick.zone.value}
    if not pick.match.is_empty:
        entry["match"] = match_data(pick.match)
    entry["n"] = "any" if pick.n is None else pick.n
    if pick.upto:
        entry["upto"] = True
    if pick.by is not c.By.USER:
        entry["by"] = pick.by.value
    if pick.hand_at_least:
        entry["holders"] = {"hand_at_least": pick.hand_at_least}
    return entry


def _field_pick(pick: c.FieldPick) -> dict[str, Json]:
    return {"whose": pick.whose.value, "zone": pick.zone.value}
