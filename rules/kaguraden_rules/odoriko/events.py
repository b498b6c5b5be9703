"""What can happen in odoriko (OD-177, OD-211, OD-222).

Every change of a game is one of these. Each class says who may see what by itself: a field marked
`private` is for the seats that its owners name, everything else is public. Folding the public
fields and one's own private ones gives one's view. Cards are named by their faces; `seat` is the
seat that it happens to. The server numbers updates for each viewer, so events carry no number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeAlias

from attrs import frozen

from kaguraden_rules.kernel import CardId, Event, Json, Rank, SeatId, private
from kaguraden_rules.odoriko.refs import Back, Field
from kaguraden_rules.wire import Natural, OneOf, Ordinal

__all__ = [
    "ActionsCapped",
    "ActionsChanged",
    "AuctionBid",
    "AuctionClosed",
    "AuctionOpened",
    "AuctionPassed",
    "BidDeclared",
    "BidLocked",
    "CardDeclared",
    "CardDrawn",
    "CardMoved",
    "CardPlaced",
    "CardsDiscarded",
    "CardsExchanged",
    "CardsTaken",
    "ChainCapped",
    "Dealt",
    "DeckShown",
    "DeckShuffled",
    "DeckSizes",
    "Declared",
    "Discarded",
    "EffectCancelled",
    "EffectFizzled",
    "EffectRedirected",
    "FcLost",
    "FcSet",
    "FinalTriggered",
    "GainOpened",
    "GameOpened",
    "HalfStarted",
    "HandPassed",
    "HandShown",
    "JankenDrawn",
    "JankenOpened",
    "JankenShown",
    "Kept",
    "LotRecovered",
    "MarkEnded",
    "MarkSet",
    "OrderClosed",
    "OrderOpened",
    "OrderSet",
    "Origin",
    "PickOpened",
    "Picked",
    "PlaceChosen",
    "Ranked",
    "Shown",
    "SkillDeclared",
    "SkillResolved",
    "Spot",
    "Stalemate",
    "Tallied",
    "Target",
    "TermTallied",
    "TurnEnded",
    "TurnStarted",
    "VpChanged",
    "WindowClosed",
    "WindowOpened",
    "ZonesReturned",
]

# The words of texts that are one of a few.
ZoneName: TypeAlias = Annotated[str, OneOf(Field)]
OpenZone: TypeAlias = Annotated[str, OneOf((*Field, "pile", "shown"))]
AnyZone: TypeAlias = Annotated[str, OneOf((*Field, "pile", "hand", "shown"))]
DeckName: TypeAlias = Annotated[str, OneOf(Back)]
PriceKind: TypeAlias = Annotated[str, OneOf(("resource", "special", "either"))]
WindowKind: TypeAlias = Annotated[str, OneOf(("event", "k", "trigger", "j", "a", "free"))]
Mark: TypeAlias = Annotated[str, OneOf(("frozen", "sheltered"))]
From: TypeAlias = Annotated[
    str, OneOf((*Field, "hand", "deck", "lot", "gained", "shown", "stack", "pile"))
]

# --- parts of events -----------------------------------------------------------------------------


@frozen
class Target:
    """A card on a field, as K names it (OD-74) or as it stands in for another (OD-107)."""

    seat: SeatId
    zone: ZoneName
    card: CardId
    kept: bool | None = None  # True where it is the one kept at midway


@frozen
class Spot:
    """Where a card was or is: a seat's "song", "dance", "pile" or "hand"."""

    seat: SeatId
    zone: AnyZone


@frozen
class Origin:
    """A card and where it was: a seat's "song", "dance" or "pile", or "shown" off its deck."""

    card: CardId
    seat: SeatId
    zone: OpenZone
    kept: bool | None = None  # True: the character kept at midway


@frozen
class Picked:
    """What a skill names when it is declared: a card in the open, a field, or a seat.

    `to` is the field that a card is to be put on.
    """

    seat: SeatId
    zone: OpenZone | None = None
    card: CardId | None = None
    kept: bool | None = None
    to: Spot | None = None


@frozen
class DeckSizes:
    """How many cards a seat's decks hold."""

    seat: SeatId
    resource: Natural
    character: Natural


@frozen
class Declared:
    """What a seat declared in the order bidding, and its VP after the subtraction."""

    seat: SeatId
    value: Natural
    vp: int


@frozen
class Shown:
    """A janken choice when it is shown: "rock", "paper" or "scissors"."""

    seat: SeatId
    choice: Annotated[str, OneOf(("rock", "paper", "scissors"))]
    random: bool | None = None  # True where the generator chose (OD-201)


@frozen
class Discarded:
    """A card sent to the discard pile of a seat, or one that lies there.

    `source` is where it was sent from: "song" or "dance" on the fields of that seat, its "hand",
    "deck", "lot", what it "gained" but could not hold, "shown" off its deck, or the "stack";
    "pile" where it has lain there for longer. `kept` is True for the character kept at midway.
    """

    card: CardId
    pile: SeatId
    source: From | None = None
    kept: bool | None = None


@frozen
class TermTallied:
    """One scoring term of one character: the cards it counted and what it gave (OD-145)."""

    character: CardId
    term: Natural  # its place among the card's terms, from 0
    cards: tuple[CardId, ...]
    vp: int


# --- opening, turn order -------------------------------------------------------------------------


@frozen
class GameOpened(Event):
    """A game begins under these room options, with the cards of these sets (OD-174, OD-189)."""

    kind: ClassVar[str] = "game_opened"
    seats: tuple[SeatId, ...]
    options: Mapping[str, Json]
    sets: tuple[str, ...]


@frozen
class Dealt(Event):
    """The decks lie ready (OD-18); `removed` cards left the game unseen (OD-19)."""

    kind: ClassVar[str] = "dealt"
    decks: tuple[DeckSizes, ...]
    removed: Natural


@frozen
class OrderOpened(Event):
    """The turn order of a half is about to be decided: declarations are open (OD-31)."""

    kind: ClassVar[str] = "order_opened"
    half: Ordinal


@frozen
class BidDeclared(Event):
    """A seat declared how many VP it gives for its place (OD-29, OD-31)."""

    kind: ClassVar[str] = "bid_declared"
    seat: SeatId
    value: Natural


@frozen
class BidLocked(Event):
    """A seat is done declaring, until somebody declares again (OD-31)."""

    kind: ClassVar[str] = "bid_locked"
    seat: SeatId


@frozen
class OrderClosed(Event):
    """Declarations are over and were subtracted (OD-33)."""

    kind: ClassVar[str] = "order_closed"
    bids: tuple[Declared, ...]


@frozen
class JankenOpened(Event):
    """A tied group plays janken (OD-35). `repeat` counts the draws in a row so far, from 0."""

    kind: ClassVar[str] = "janken_opened"
    group: tuple[SeatId, ...]
    repeat: Natural


@frozen
class JankenShown(Event):
    """A group's choices, shown together, and who won; nobody in a draw (OD-35)."""

    kind: ClassVar[str] = "janken_shown"
    choices: tuple[Shown, ...]
    winners: tuple[SeatId, ...]


@frozen
class JankenDrawn(Event):
    """After too many draws in a row the generator put a group in this order (OD-35)."""

    kind: ClassVar[str] = "janken_drawn"
    order: tuple[SeatId, ...]


@frozen
class PlaceChosen(Event):
    """A seat took a place in the turn order, 1 to n (OD-36)."""

    kind: ClassVar[str] = "place_chosen"
    seat: SeatId
    place: Ordinal


@frozen
class OrderSet(Event):
    """The turn order is set, first place first (OD-36)."""

    kind: ClassVar[str] = "order_set"
    order: tuple[SeatId, ...]


# --- turns ---------------------------------------------------------------------------------------


@frozen
class HalfStarted(Event):
    """A half begins: 1 before midway, 2 after it."""

    kind: ClassVar[str] = "half_started"
    half: Ordinal


@frozen
class TurnStarted(Event):
    """A seat's turn begins, with so many actions (OD-37)."""

    kind: ClassVar[str] = "turn_started"
    seat: SeatId
    actions: Natural


@frozen
class TurnEnded(Event):
    """A turn ended; a barren one changed nothing that lies on the table (OD-128)."""

    kind: ClassVar[str] = "turn_ended"
    seat: SeatId
    barren: bool


@frozen
class ActionsChanged(Event):
    """The active seat has so many actions left."""

    kind: ClassVar[str] = "actions_changed"
    seat: SeatId
    left: Natural


# --- cards ---------------------------------------------------------------------------------------


@frozen
class CardDrawn(Event):
    """A seat drew from its "resource" or "character" deck, which holds `left` cards now.

    `overflow` is the card where the hand was full and it goes to the pile (OD-51).
    """

    kind: ClassVar[str] = "card_drawn"
    seat: SeatId
    deck: DeckName
    left: Natural
    overflow: CardId | None = None
    card: CardId | None = private("seat")


@frozen
class CardPlaced(Event):
    """A card was put on a field of `seat` by `by` (OD-42, OD-43).

    `source` is where it was: the "hand", the "pile", or "shown" off a deck, of `by`, or of `owner`
    where that is another seat.
    """

    kind: ClassVar[str] = "card_placed"
    by: SeatId
    seat: SeatId
    zone: ZoneName
    card: CardId
    source: Annotated[str, OneOf(("hand", "pile", "shown"))]
    owner: SeatId | None = None


@frozen
class CardMoved(Event):
    """A card went from one spot in the open to another, with its marks if it stays on a field."""

    kind: ClassVar[str] = "card_moved"
    card: CardId
    source: Spot
    to: Spot
    kept: bool | None = None  # True: the character kept at midway
    unmarked: bool | None = None  # True: it went from field to field and lost its marks


@frozen
class CardDeclared(Event):
    """A seat uses a card from its hand; it lies on the stack now (OD-97, R1).

    `target` is the card on a field that K names. `takes` is the discarded card that J names.
    """

    kind: ClassVar[str] = "card_declared"
    seat: SeatId
    card: CardId
    action: bool  # whether it took a turn action
    target: Target | None = None
    takes: Discarded | None = None


@frozen
class SkillDeclared(Event):
    """A seat uses the skill of a character on its field (OD-97, R1).

    `picks` is what it names in the open. `spent` says how long the skill cannot be used again:
    "turn" or "half"; None: it has no limit.
    """

    kind: ClassVar[str] = "skill_declared"
    seat: SeatId
    zone: ZoneName
    card: CardId
    action: bool  # whether it took a turn action
    kept: bool | None = None  # True: the character kept at midway
    spent: Annotated[str, OneOf(("turn", "half"))] | None = None
    picks: tuple[Picked, ...] | None = None


@frozen
class SkillResolved(Event):
    """All lines of a skill have been carried out; windows for what it discarded follow."""

    kind: ClassVar[str] = "skill_resolved"
    seat: SeatId
    card: CardId


@frozen
class PickOpened(Event):
    """A card's effect has come to a choice: `asked` choose, in secret where they hold the cards.

    `card` is the card in use, `seat` its user. The choice is over when anything else happens.
    """

    kind: ClassVar[str] = "pick_opened"
    seat: SeatId
    card: CardId
    asked: tuple[SeatId, ...]
    holders: bool | None = None  # True: each chooses among what it holds (D-16)


@frozen
class CardsTaken(Event):
    """Cards in the open leave for the hand of `seat`, which cannot hold them all (OD-52).

    What does not fit is discarded next, as `gained`; the rest is in the hand then.
    """

    kind: ClassVar[str] = "cards_taken"
    seat: SeatId
    cards: tuple[Origin, ...]


@frozen
class HandPassed(Event):
    """Hand cards go from one seat to another, unseen by the rest (OD-164).

    They are on their way with what is passed at the same moment: what does not fit is discarded
    next, as `gained`.
    """

    kind: ClassVar[str] = "hand_passed"
    giver: SeatId
    receiver: SeatId
    resource: Natural  # how many have the resource back
    character: Natural
    cards: tuple[CardId, ...] | None = private("giver", "receiver")


@frozen
class HandShown(Event):
    """A seat looked at another's hand (OD-168)."""

    kind: ClassVar[str] = "hand_shown"
    viewer: SeatId
    seat: SeatId
    cards: tuple[CardId, ...] | None = private("viewer")


@frozen
class DeckShown(Event):
    """The top cards of a seat's "resource" or "character" deck lie open; `left` are below them."""

    kind: ClassVar[str] = "deck_shown"
    seat: SeatId
    deck: DeckName
    cards: tuple[CardId, ...]
    left: Natural


@frozen
class DeckShuffled(Event):
    """Shown cards went back to their deck, which was shuffled; it holds `size` cards now."""

    kind: ClassVar[str] = "deck_shuffled"
    seat: SeatId
    deck: DeckName
    size: Natural


@frozen
class CardsDiscarded(Event):
    """Cards were sent to discard piles at one moment.

    `batch` numbers the moments that windows may open for (OD-103); a played card that is merely
    put away has none. `cause` is "action", "effect", "cost", "overflow", "unsold" or "played".
    """

    kind: ClassVar[str] = "cards_discarded"
    cards: tuple[Discarded, ...]
    cause: Annotated[str, OneOf(("action", "effect", "cost", "overflow", "unsold", "played"))]
    batch: Ordinal | None = None


@frozen
class FcSet(Event):
    """A character became its seat's first character (OD-57)."""

    kind: ClassVar[str] = "fc_set"
    seat: SeatId
    zone: ZoneName
    card: CardId
    kept: bool | None = None  # True: the one kept at midway


@frozen
class FcLost(Event):
    """A first character lost its mark (OD-60, OD-61)."""

    kind: ClassVar[str] = "fc_lost"
    seat: SeatId
    card: CardId


@frozen
class MarkSet(Event):
    """A field is "frozen", or a card "sheltered", until the next turn of `by` begins (OD-173)."""

    kind: ClassVar[str] = "mark_set"
    mark: Mark
    seat: SeatId
    zone: ZoneName
    by: SeatId
    card: CardId | None = None
    kept: bool | None = None  # True: the character kept at midway


@frozen
class MarkEnded(Event):
    """A duration mark, "frozen" or "sheltered", came to its end (OD-121)."""

    kind: ClassVar[str] = "mark_ended"
    mark: Mark
    seat: SeatId
    zone: ZoneName
    card: CardId | None = None
    kept: bool | None = None  # True: the card kept at midway


@frozen
class VpChanged(Event):
    """A seat's VP changed by `delta` to `total` (OD-17).

    `cause` is "bid", "tally", or "effect" or "cost" of a card.
    """

    kind: ClassVar[str] = "vp_changed"
    seat: SeatId
    delta: int
    total: int
    cause: Annotated[str, OneOf(("bid", "tally", "effect", "cost"))]


# --- windows and effects -------------------------------------------------------------------------


@frozen
class WindowOpened(Event):
    """A round of a reaction window: the asked seats may answer in secret (OD-101).

    The subject is the card that may be answered with its player and target, or the discarded
    cards that may be taken or that set off skills, or the unsold lot. A `free` window has none.
    """

    kind: ClassVar[str] = "window_opened"
    window: Ordinal  # its number in this game
    name: WindowKind  # (OD-104)
    round: Ordinal  # from 1
    asked: tuple[SeatId, ...]
    card: CardId | None = None
    seat: SeatId | None = None
    target: Target | None = None
    candidates: tuple[Discarded, ...] | None = None
    lot: tuple[CardId, ...] | None = None
    redirected: Target | None = None  # what K discards in place of its target (OD-107)
    discarded: tuple[Discarded, ...] | None = None  # a batch that skills may react to


@frozen
class WindowClosed(Event):
    """A window is over."""

    kind: ClassVar[str] = "window_closed"
    window: Ordinal
    name: WindowKind


@frozen
class EffectCancelled(Event):
    """A declared card will have no effect; it is spent all the same (OD-78)."""

    kind: ClassVar[str] = "effect_cancelled"
    card: CardId
    by: SeatId


@frozen
class EffectRedirected(Event):
    """K will discard `new` in place of `old`, by a skill of `by` (OD-107)."""

    kind: ClassVar[str] = "effect_redirected"
    card: CardId
    by: SeatId
    old: Target
    new: Target


@frozen
class EffectFizzled(Event):
    """A card's effect found nothing to do, as its target is gone (OD-79)."""

    kind: ClassVar[str] = "effect_fizzled"
    card: CardId


@frozen
class ChainCapped(Event):
    """Too many uses in one action: no further window opens in it (OD-111, OD-196)."""

    kind: ClassVar[str] = "chain_capped"
    frames: Natural


@frozen
class ActionsCapped(Event):
    """A card gave fewer actions than it says: a turn has no more than `cap` (OD-111)."""

    kind: ClassVar[str] = "actions_capped"
    seat: SeatId
    cap: Natural


# --- auctions ------------------------------------------------------------------------------------


@frozen
class AuctionOpened(Event):
    """A seat offers a lot for `price` cards or more of `price_kind` (OD-82).

    `price_kind` is "resource", "special" or "either". `asked` may bid, by what is public (OD-88).
    """

    kind: ClassVar[str] = "auction_opened"
    seller: SeatId
    lot: tuple[CardId, ...]
    price_kind: PriceKind
    price: Ordinal
    asked: tuple[SeatId, ...]


@frozen
class AuctionBid(Event):
    """A seat bids so many cards and leads (OD-85). `asked` may bid now (OD-88)."""

    kind: ClassVar[str] = "auction_bid"
    seat: SeatId
    number: Ordinal
    asked: tuple[SeatId, ...]


@frozen
class AuctionPassed(Event):
    """A seat passed for good, where seats are polled in turn (OD-85). `asked` is asked next."""

    kind: ClassVar[str] = "auction_passed"
    seat: SeatId
    asked: tuple[SeatId, ...]


@frozen
class AuctionClosed(Event):
    """The bidding is over: sold to `winner` for `number` cards, or unsold."""

    kind: ClassVar[str] = "auction_closed"
    winner: SeatId | None = None
    number: Ordinal | None = None


@frozen
class CardsExchanged(Event):
    """Lot and payment change hands (OD-91). What is paid is for both sides alone (OD-90).

    `shown` is the payment where the room plays with open payments.
    """

    kind: ClassVar[str] = "cards_exchanged"
    seller: SeatId
    winner: SeatId
    lot: tuple[CardId, ...]
    price_kind: PriceKind
    number: Ordinal
    shown: tuple[CardId, ...] | None = None
    payment: tuple[CardId, ...] | None = private("seller", "winner")


@frozen
class GainOpened(Event):
    """Seats that received more cards than they can hold choose which stay (OD-52)."""

    kind: ClassVar[str] = "gain_opened"
    asked: tuple[SeatId, ...]


@frozen
class LotRecovered(Event):
    """The seller took its unsold lot back into hand (OD-70, OD-94)."""

    kind: ClassVar[str] = "lot_recovered"
    seller: SeatId
    cards: tuple[CardId, ...]


# --- tallies, midway, end ------------------------------------------------------------------------


@frozen
class Tallied(Event):
    """A seat's tally, term by term (OD-145), with the hand cards it had to show (OD-146)."""

    kind: ClassVar[str] = "tally"
    half: Ordinal
    seat: SeatId
    terms: tuple[TermTallied, ...]
    shown: tuple[CardId, ...]
    total: int


@frozen
class Kept(Event):
    """A seat's choice of the character that stays at midway (OD-115)."""

    kind: ClassVar[str] = "kept"
    seat: SeatId
    zone: ZoneName
    card: CardId


@frozen
class ZonesReturned(Event):
    """A seat's cards went back to its decks, which were shuffled (OD-117)."""

    kind: ClassVar[str] = "zones_returned"
    seat: SeatId
    resource: Natural
    character: Natural


@frozen
class Stalemate(Event):
    """A half ends for want of change, "barren" (OD-128), or after its "circuit_limit" (OD-129)."""

    kind: ClassVar[str] = "stalemate"
    half: Ordinal
    reason: Annotated[str, OneOf(("barren", "circuit_limit"))]


@frozen
class FinalTriggered(Event):
    """So many resource cards count: the final tally is made (OD-124)."""

    kind: ClassVar[str] = "final_triggered"
    count: Natural


@frozen
class Ranked(Event):
    """The game is over (OD-127)."""

    kind: ClassVar[str] = "ranked"
    ranking: tuple[Rank, ...]
