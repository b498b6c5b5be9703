"""A deck in the making: which cards are in it, and what is still wrong with it.

`Draft` is a value: every change gives a new one. `Desk` is what a client knows of its decks from
room to room: the one that the server took, the one that is to be brought along, and what the server
had against one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from attrs import define, evolve, field, frozen
from kaguraden_protocol.limits import MAX_CARDS

from .deck_rules import DeckRules
from .painters import Catalog, Context
from .words import has

__all__ = ["Desk", "Draft", "Fault", "fault_text", "faults", "kind_text", "pool", "verdict"]


@frozen
class Fault:
    """Something that is wrong with a deck: a key of `words`, with cards and kinds by their ids."""

    key: str
    values: Mapping[str, object] = field(factory=dict)


@frozen
class Draft:
    """The cards chosen so far, in any order, and what the deck is called."""

    cards: tuple[str, ...] = ()
    name: str = ""

    def count(self, card: str) -> int:
        """Return how many copies of a card are in it."""
        return self.cards.count(card)

    def more(self, card: str, kind: str, rules: DeckRules) -> tuple[Draft, Fault | None]:
        """Return the draft with one copy more, or why there can be no more."""
        most = rules.most(kind)
        if rules.kinds is not None and kind not in rules.kinds:
            return self, Fault("deck.fault.kind", {"card": card, "kind": kind})
        if most is not None and self.count(card) >= most:
            return self, Fault("deck.most", {"card": card, "n": most})
        size = MAX_CARDS if rules.size is None else rules.size
        if len(self.cards) >= size:
            return self, Fault("deck.full", {"size": size})
        return evolve(self, cards=(*self.cards, card)), None

    def fewer(self, card: str) -> Draft:
        """Return the draft with one copy less."""
        if card not in self.cards:
            return self
        at = len(self.cards) - 1 - self.cards[::-1].index(card)
        return evolve(self, cards=self.cards[:at] + self.cards[at + 1 :])

    def sorted_by(self, order: Sequence[str]) -> tuple[str, ...]:
        """Return the cards in the order of the catalog; unknown ones last."""
        places = {card: i for i, card in enumerate(order)}
        return tuple(sorted(self.cards, key=lambda card: (places.get(card, len(places)), card)))


def pool(catalog: Catalog) -> tuple[str, ...]:
    """Return the cards that decks are made of: those of the packs, in their order."""
    found = (card for _, cards in catalog.packs for card in cards)
    return tuple(dict.fromkeys(card for card in found if card in catalog.cards))


def faults(cards: Sequence[str], catalog: Catalog, rules: DeckRules) -> list[Fault]:
    """Return everything that is wrong with a deck, as far as is known here."""
    found: list[Fault] = []
    if rules.size is not None and len(cards) != rules.size:
        missing = rules.size - len(cards)
        found.append(Fault("deck.fault.few" if missing > 0 else "deck.fault.many", {"n": abs(missing)}))  # fmt: skip
    known = set(pool(catalog))
    kinds: set[str] = set()
    for card, n in Counter(cards).items():
        if card not in known:
            found.append(Fault("deck.fault.unknown", {"card": card}))
            continue
        kind = catalog.cards[card].kind
        kinds.add(kind)
        most = rules.most(kind)
        if rules.kinds is not None and kind not in rules.kinds:
            found.append(Fault("deck.fault.kind", {"card": card, "kind": kind}))
        elif most is not None and n > most:
            found.append(Fault("deck.fault.copies", {"card": card, "n": n, "most": most}))
    found += [Fault("deck.fault.needs", {"kind": kind}) for kind in rules.needs if kind not in kinds]  # fmt: skip
    return found


def kind_text(kind: str, ctx: Context, *, one: bool = False) -> str:
    """Return a kind of card in words."""
    key = f"deck.{'one' if one else 'kind'}.{kind}"
    return ctx.say(key) if has(key) else kind.replace("_", " ")


def fault_text(fault: Fault, ctx: Context) -> str:
    """Return a fault in plain words."""
    values = dict(fault.values)
    if isinstance(card := values.get("card"), str):
        values["card"] = ctx.card_text(card)
    if isinstance(kind := values.get("kind"), str):
        values["kind"] = kind_text(kind, ctx, one=fault.key == "deck.fault.needs")
    return ctx.say(fault.key, **values)


def verdict(found: Iterable[Fault], ctx: Context) -> str:
    """Return all faults in one sentence, or that there is none."""
    said = ctx.say("list.comma").join(fault_text(fault, ctx) for fault in found)
    return ctx.say("deck.not_yet", why=said) if said else ctx.say("deck.legal")


@define
class Desk:
    """What a client knows of its decks, by room."""

    taken: dict[str, Draft] = field(factory=dict)  # by room: what the server took
    sent: dict[str, Draft] = field(factory=dict)  # by room: what it was asked to take
    problems: tuple[str, ...] = ()  # what it had against the last one, a line each
    bring: Draft | None = None  # to be played in every room of its game
    bring_game: str = ""
    brought: set[str] = field(factory=set)  # rooms that it was offered to
    latest: Draft = field(factory=Draft)  # what was worked on last

    def draft(self, room: str) -> Draft:
        """Return the deck to begin with in a room."""
        return self.taken.get(room) or self.latest

    def accepted(self, room: str) -> Draft | None:
        """Note that the server took what it was sent; None: that was the starter."""
        self.problems = ()
        draft = self.sent.pop(room, None)
        if draft is None or not draft.cards:
            self.taken.pop(room, None)
            return None
        self.taken[room] = draft
        return draft

    def refused(self, room: str, problems: Iterable[str]) -> None:
        """Note why the server did not take it; what it had taken before stays."""
        self.sent.pop(room, None)
        self.problems = tuple(problems)

    def takes_along(self, room: str, game: str) -> Draft | None:
        """Return the deck that is to be brought to a room, once."""
        if self.bring is None or game != self.bring_game or room in self.brought:
            return None
        self.brought.add(room)
        return self.bring
