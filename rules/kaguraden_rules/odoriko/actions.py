"""What the active seat may do at an action point, and how that begins (OD-39 to OD-49, D-5).

`action_options` lists every action and free play with its cards, fields and targets; `perform`
begins the one that was chosen. Both know the same kinds, one after another.
"""

from __future__ import annotations

from collections.abc import Iterator

from kaguraden_rules.kernel import CardsValue, Json, Option, SeatId, Value
from kaguraden_rules.odoriko.activity import arg, as_cards, number_arg
from kaguraden_rules.odoriko.auction import MAX_PRICE, PRICE_KINDS, open_sale, sellable
from kaguraden_rules.odoriko.card import Skill, Timing
from kaguraden_rules.odoriko.faces import Rank, is_resource
from kaguraden_rules.odoriko.moves import discard, draw, lift, place, take_from_hand
from kaguraden_rules.odoriko.offers import event_offers, offer_of, skill_offers
from kaguraden_rules.odoriko.refs import Back, Field, back, face, faces, field_of
from kaguraden_rules.odoriko.skills import face_up_skills, skill_at
from kaguraden_rules.odoriko.state import Discarding, Lying, Named, Purpose
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.uses import declare, declare_event, declare_skill
from kaguraden_rules.odoriko.zones import (
    by_face,
    deck,
    has_room_for_character,
    held,
    is_character,
    is_frozen,
    lying_labels,
    with_rank,
)

__all__ = ["END_TURN", "action_options", "perform"]

END_TURN = Option("end_turn", "end_turn")
DRAWS = {b: Option(f"draw:{b.value}", "draw", {"deck": b.value}) for b in Back}


def action_options(table: Table, seat: SeatId) -> tuple[Option, ...]:
    """List everything that a seat may do at its action point; to end the turn comes last (OD-38)."""
    return (
        *_draws(table, seat),
        *_places(table, seat),
        *_events(table, seat),
        *_skills(table, seat),
        *_kings(table, seat),
        *_swaps(table, seat),
        *_sales(table, seat),
        *_discards(table, seat),
        END_TURN,
    )


def perform(table: Table, seat: SeatId, option: Option, value: Value, *, action: bool) -> None:
    """Begin an action or, with `action` False, a free play, whose frame is on the stack."""
    match option.kind:
        case "draw":
            discard(table, draw(table, seat, Back(arg(option, "deck"))), "overflow")
        case "place_character":
            card = take_from_hand(table, seat, arg(option, "card"))
            place(table, seat, Field(arg(option, "zone")), card, by=seat)
        case "place_resource":
            card = take_from_hand(table, seat, arg(option, "card"))
            place(table, seat, field_of(card), card, by=seat)
        case "use_event":
            card = held(table.seats[seat], arg(option, "card"))
            offer = offer_of(event_offers(table, seat, card), option)
            declare_event(table, seat, card, offer, value)
        case "use_skill":
            found = skill_at(table, seat, arg(option, "zone"), arg(option, "card"))
            offers = skill_offers(table, found, free_play=found.skill.is_free)
            offer = offer_of(offers, option)
            declare_skill(table, found, offer, value, takes_action=action)
        case "use_k":
            owner = SeatId(number_arg(option, "seat"))
            target = _named(table, owner, arg(option, "zone"), arg(option, "target"))
            king = held(table.seats[seat], arg(option, "card"))
            declare(table, seat, king, Purpose.DISCARD, picks=((target,),), takes_action=action)
        case "q_swap":
            queen = held(table.seats[seat], arg(option, "card"))
            moving = tuple(
                _named(table, seat, zone.value, arg(option, zone.value))
                for zone in Field
                if zone.value in option.args
            )
            declare(table, seat, queen, Purpose.SWAP, picks=(moving,), takes_action=action)
        case "sell":
            chosen = as_cards(value)
            lot = tuple(c for c in sellable(table.seats[seat].hand) if face(c) in chosen)
            price = number_arg(option, "price")
            open_sale(table, seat, lot, arg(option, "price_kind"), price)
        case "discard":
            _discard(table, seat, option)
        case _:
            raise LookupError(f"no action of kind {option.kind}")


def _named(table: Table, seat: SeatId, zone: str, label: str) -> Named:
    """Return the card on a field that an option names."""
    lying = lying_labels(table.seats[seat], Field(zone))[label]
    return Named(seat, zone, lying.card, lying.since, lying.kept)


# --- hand and fields ---------------------------------------------------------------------------


def _draws(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer each deck that is not empty (OD-40, OD-41, OD-50), also to a full hand (OD-53)."""
    for which in Back:
        if deck(table.seats[seat], which):
            yield DRAWS[which]


def _places(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer the fields that the cards in hand may be put on (OD-42, OD-43)."""
    owner = table.seats[seat]
    roomy = [zone for zone in Field if has_room_for_character(owner, zone, table.cards)]
    for shown, card in by_face(owner.hand).items():
        if is_resource(shown):
            if not is_frozen(owner, field_of(card)):
                yield Option(f"place_resource:{shown}", "place_resource", {"card": shown})
        elif is_character(table.cards, card):
            for zone in roomy:
                args: dict[str, Json] = {"card": shown, "zone": zone.value}
                yield Option(f"place_character:{shown}:{zone.value}", "place_character", args)


def _discards(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer every card in hand or in the domain, whoever put it there (OD-48, OD-49)."""
    owner = table.seats[seat]
    lying = {zone: lying_labels(owner, zone) for zone in Field}
    places: list[tuple[str, str]] = [("hand", shown) for shown in dict.fromkeys(faces(owner.hand))]
    places += [(zone.value, label) for zone in Field for label in lying[zone]]
    for zone_name, label in places:
        args: dict[str, Json] = {"zone": zone_name, "card": label}
        yield Option(f"discard:{zone_name}:{label}", "discard", args)


def _discard(table: Table, seat: SeatId, option: Option) -> None:
    zone, label = arg(option, "zone"), arg(option, "card")
    if zone == "hand":
        gone = Discarding(take_from_hand(table, seat, label), seat, zone)
    else:
        gone = lift(table, _named(table, seat, zone, label))
    discard(table, (gone,), "action")


# --- events and skills -------------------------------------------------------------------------


def _events(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer every event in hand whose conditions and costs can be met (OD-44)."""
    own = (card for card in table.seats[seat].hand if back(card) is Back.CHARACTER)
    for card in by_face(own).values():
        yield from (offer.option for offer in event_offers(table, seat, card))


def _skills(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer the skills that are actions, and the free ones, which cost none (OD-45, OD-109)."""
    for found in face_up_skills(table, seat, _is_for_action_points):
        offers = skill_offers(table, found, free_play=found.skill.is_free)
        yield from (offer.option for offer in offers)


def _is_for_action_points(skill: Skill) -> bool:
    """Whether a skill may be used at an action point, and not outside its timing (OD-66)."""
    return skill.timing is Timing.ACTION or skill.is_free


# --- special cards -----------------------------------------------------------------------------


def _kings(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer every card on any field to each K in hand (OD-46, OD-74).

    No first character (OD-58), which other cards can remove all the same (OD-59), and no
    sheltered card.
    """
    kings = with_rank(table.seats[seat].hand, Rank.KING)
    if not kings:
        return
    targets = [
        (other, zone.value, label, lying.kept)
        for other in table.everybody()
        for zone in Field
        for label, lying in lying_labels(table.seats[other], zone).items()
        if not lying.fc and not lying.sheltered
    ]
    for king in kings:
        for other, zone_name, label, kept in targets:
            args: dict[str, Json] = {
                "card": king,
                "seat": other,
                "zone": zone_name,
                "target": label,
            }
            if kept:
                args["kept"] = True
            yield Option(f"use_k:{king}:{other}:{zone_name}:{label}", "use_k", args)


def _swaps(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer each Q in hand every legal move or exchange of own characters (OD-75)."""
    queens = with_rank(table.seats[seat].hand, Rank.QUEEN)
    if not queens:
        return
    owner = table.seats[seat]
    movable = {
        zone: {
            label: lying
            for label, lying in lying_labels(owner, zone).items()
            if is_character(table.cards, lying.card)
        }
        for zone in Field
    }
    songs: list[str | None] = [None, *movable[Field.SONG]]
    dances: list[str | None] = [None, *movable[Field.DANCE]]
    for queen in queens:
        for song in songs:
            for dance in dances:
                moving = {Field.SONG: song, Field.DANCE: dance}
                named = {z: name for z, name in moving.items() if name is not None}
                if not named or not _may_swap(table, seat, movable, named):
                    continue
                args: dict[str, Json] = {"card": queen}
                args |= {zone.value: name for zone, name in named.items()}
                words = (f"{zone.value}:{name}" for zone, name in named.items())
                yield Option(":".join(("q_swap", queen, *words)), "q_swap", args)


def _may_swap(
    table: Table,
    seat: SeatId,
    movable: dict[Field, dict[str, Lying]],
    named: dict[Field, str],
) -> bool:
    """Whether no field ends with two new characters (OD-65) or is entered frozen (OD-173)."""
    moving = {zone: movable[zone][label] for zone, label in named.items()}
    for here, there in ((Field.SONG, Field.DANCE), (Field.DANCE, Field.SONG)):
        comes = moving.get(there)
        if comes is None:
            continue
        if is_frozen(table.seats[seat], here):
            return False
        stays = [y for y in movable[here].values() if y is not moving.get(here)]
        if not comes.kept and any(not y.kept for y in stays):
            return False
    return True


# --- sales -------------------------------------------------------------------------------------


def _sales(table: Table, seat: SeatId) -> Iterator[Option]:
    """Offer each price for any lot out of the hand (OD-47, OD-80, OD-82)."""
    cards = faces(sellable(table.seats[seat].hand))
    if not cards:
        return
    lot = CardsValue(cards, 1, len(cards))
    for kind in PRICE_KINDS:
        for price in range(1, MAX_PRICE + 1):
            args: dict[str, Json] = {"price_kind": kind, "price": price}
            yield Option(f"sell:{kind}:{price}", "sell", args, lot)
