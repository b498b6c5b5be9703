"""How odoriko looks on the wire: its kinds of option, and everything else by name (OD-176).

A card that an option names may be the second of its face, as `cc001#2` (OD-179).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

import attrs
from attrs import frozen

from kaguraden_rules.kernel import (
    CardId,
    CardsValue,
    Event,
    IntValue,
    OptionShape,
    SeatId,
    Shapes,
)
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.refs import Back, Field
from kaguraden_rules.odoriko.view import OdorikoView
from kaguraden_rules.wire import OneOf, Ordinal

__all__ = ["SHAPES"]

# --- parts ---------------------------------------------------------------------------------------


@frozen
class Whereto:
    """Where a card is put: a seat's field, or the one field that it can lie on."""

    seat: SeatId
    zone: Annotated[str, OneOf(Field)] | None = None


@frozen
class Choice:
    """A card that an option pays or names, a field (no card), or a seat (no zone)."""

    seat: SeatId
    zone: events.AnyZone | None = None
    card: CardId | None = None
    kept: Literal[True] | None = None  # the character kept at midway
    to: Whereto | None = None


# --- deciding the turn order ---------------------------------------------------------------------


@frozen
class DeclareBid(OptionShape):
    """Declare how many VP are given for the place."""

    kind: ClassVar[str] = "declare_bid"
    values = (IntValue,)


@frozen
class LockBid(OptionShape):
    """Be done declaring."""

    kind: ClassVar[str] = "lock_bid"


@frozen
class Rock(OptionShape):
    """Show the rock."""

    kind: ClassVar[str] = "rock"


@frozen
class Paper(OptionShape):
    """Show paper."""

    kind: ClassVar[str] = "paper"


@frozen
class Scissors(OptionShape):
    """Show scissors."""

    kind: ClassVar[str] = "scissors"


@frozen
class Random(OptionShape):
    """Leave it to chance."""

    kind: ClassVar[str] = "random"


@frozen
class Place(OptionShape):
    """Take a place in the turn order."""

    kind: ClassVar[str] = "place"
    place: Ordinal


# --- action points -------------------------------------------------------------------------------


@frozen
class Draw(OptionShape):
    """Draw from a deck."""

    kind: ClassVar[str] = "draw"
    deck: Back


@frozen
class PlaceCharacter(OptionShape):
    """Put a character on a field."""

    kind: ClassVar[str] = "place_character"
    card: CardId
    zone: Field


@frozen
class PlaceResource(OptionShape):
    """Put a resource card on its field."""

    kind: ClassVar[str] = "place_resource"
    card: CardId


@frozen
class Discard(OptionShape):
    """Discard a card of the hand or of a field."""

    kind: ClassVar[str] = "discard"
    zone: Literal["hand", "song", "dance"]
    card: CardId


@frozen
class UseEvent(OptionShape):
    """Play an event; `list` says to which of both the cards of the value belong."""

    kind: ClassVar[str] = "use_event"
    values = (None, CardsValue)
    card: CardId
    pays: tuple[Choice, ...] | None = None
    list: Literal["pays"] | None = None


@frozen
class UseSkill(OptionShape):
    """Use the skill of a character that lies on a field.

    It pays and picks these cards, and those of the value, `list` says as which. `whose` is the one
    seat that all cards of the list are taken from, `to` the one that they go to.
    """

    kind: ClassVar[str] = "use_skill"
    values = (None, CardsValue)
    zone: Field
    card: CardId
    kept: Literal[True] | None = None
    free: Literal[True] | None = None
    pays: tuple[Choice, ...] | None = None
    picks: tuple[Choice, ...] | None = None
    list: Literal["pays", "picks"] | None = None
    whose: SeatId | None = None
    to: SeatId | None = None


@frozen
class UseK(OptionShape):
    """Use a K to discard `target`, which lies on a field."""

    kind: ClassVar[str] = "use_k"
    card: CardId
    seat: SeatId
    zone: Field
    target: CardId
    kept: Literal[True] | None = None


@frozen
class SwapByQ(OptionShape):
    """Use a Q to let own characters change their fields: the one of song, of dance, or both."""

    kind: ClassVar[str] = "q_swap"
    card: CardId
    song: CardId | None = None
    dance: CardId | None = None


@frozen
class Sell(OptionShape):
    """Offer the cards of the value for sale, for `price` cards or more."""

    kind: ClassVar[str] = "sell"
    values = (CardsValue,)
    price_kind: events.PriceKind
    price: Ordinal


@frozen
class EndTurn(OptionShape):
    """End the turn."""

    kind: ClassVar[str] = "end_turn"


# --- windows and choices on the way --------------------------------------------------------------


@frozen
class Pass(OptionShape):
    """Do nothing."""

    kind: ClassVar[str] = "pass"


@frozen
class UseQ(OptionShape):
    """Cancel the K with a Q."""

    kind: ClassVar[str] = "use_q"
    card: CardId


@frozen
class UseJ(OptionShape):
    """Take the card `takes` out of the pile of `seat` with a J."""

    kind: ClassVar[str] = "use_j"
    card: CardId
    seat: SeatId
    takes: CardId


@frozen
class UseA(OptionShape):
    """Recover the unsold lot with an A."""

    kind: ClassVar[str] = "use_a"
    card: CardId


@frozen
class Choose(OptionShape):
    """Choose what the effect is about: these, and those of the value."""

    kind: ClassVar[str] = "choose"
    values = (None, CardsValue)
    picks: tuple[Choice, ...] | None = None
    list: Literal["picks"] | None = None
    whose: SeatId | None = None
    to: SeatId | None = None


# --- auctions, hands, midway ---------------------------------------------------------------------


@frozen
class Bid(OptionShape):
    """Bid so many cards."""

    kind: ClassVar[str] = "bid"
    values = (IntValue,)


@frozen
class Done(OptionShape):
    """Be done bidding."""

    kind: ClassVar[str] = "done"


@frozen
class Pay(OptionShape):
    """Pay with the cards of the value."""

    kind: ClassVar[str] = "pay"
    values = (CardsValue,)


@frozen
class Keep(OptionShape):
    """Keep the cards of the value in hand."""

    kind: ClassVar[str] = "keep"
    values = (CardsValue,)


@frozen
class KeepCharacter(OptionShape):
    """Keep a character on its field."""

    kind: ClassVar[str] = "keep_character"
    zone: Field
    card: CardId


_TOLD = (getattr(events, name) for name in events.__all__)

SHAPES: Final = Shapes(
    view=OdorikoView,
    phases=("order", "turns", "midway", "over"),
    reasons=("final", "barren", "circuit_limit"),
    events=tuple(t for t in _TOLD if attrs.has(t) and issubclass(t, Event)),
    decisions={
        "order_bid": (DeclareBid, LockBid),
        "janken": (Rock, Paper, Scissors, Random),
        "place": (Place,),
        "action": (
            *(Draw, PlaceCharacter, PlaceResource, Discard, UseEvent, UseSkill, UseK, SwapByQ),
            *(Sell, EndTurn),
        ),
        "event": (Pass, UseSkill),
        "k": (Pass, UseQ, UseSkill),
        "trigger": (Pass, UseSkill),
        "j": (Pass, UseJ),
        "a": (Pass, UseA),
        "free": (Pass, UseSkill),
        "pick": (Choose,),
        "holder_pick": (Choose,),
        "auction": (Done, Pass, Bid),
        "payment": (Pay,),
        "order_gain": (Keep,),
        "keep": (KeepCharacter,),
    },
)
