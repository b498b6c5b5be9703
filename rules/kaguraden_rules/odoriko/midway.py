"""Tallies: midway with the return of the cards (途中経過), and the end of the game (OD-113 to OD-127).

Both begin with the same tally of the position as it lies. At midway each seat then chooses, in
secret, the one character that stays; everything else goes back to the decks, each seat draws a new
first hand, and the turn order of the second half is decided. At the end seats are ranked.
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import Decision, Option, Outcome, Pace, Rank, SeatId, Value
from kaguraden_rules.odoriko import events, scoring
from kaguraden_rules.odoriko.activity import Activity, Question, arg, missing, sealed
from kaguraden_rules.odoriko.marks import end_marks, set_first_character
from kaguraden_rules.odoriko.moves import change_vp, first_hands
from kaguraden_rules.odoriko.order import opening
from kaguraden_rules.odoriko.refs import CardRef, Field, face, faces, supplier
from kaguraden_rules.odoriko.state import Keeping, Lying, Over, Sealed, Seat
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import domain, field, is_character, lying_labels

__all__ = ["KEEPING", "OVER", "rank"]


def tally(table: Table) -> None:
    """Score the position and add the result to every seat's VP (OD-114, OD-126).

    Terms that subtract are what the cards' text calls penalties (OD-6).

    The tally is told term by term (OD-145), with the hand cards that a term counted (OD-146).
    """
    sides = [_side(seat) for seat in table.seats]
    for result in scoring.tally(sides, table.cards, table.options):
        terms = tuple(
            events.TermTallied(character.card, index, term.cards, term.vp)
            for character in result.characters
            for index, term in enumerate(character.terms)
        )
        table.tell(events.Tallied(table.half, result.seat, terms, result.shown, result.total))
        change_vp(table, result.seat, result.total, "tally")


def _side(seat: Seat) -> scoring.Side:
    song, dance = (
        tuple(scoring.Lying(face(lying.card), lying.fc) for lying in field(seat, zone))
        for zone in Field
    )
    return scoring.Side(song, dance, faces(seat.pile), faces(seat.hand))


# --- midway ------------------------------------------------------------------------------------


def _goes_on(table: Table, keeping: Keeping) -> bool:
    if not keeping.tallied:
        tally(table)
        asked = tuple(seat for seat in table.everybody() if _characters(table, seat))
        wait = table.next_wait() if asked else None
        table.stage = Keeping(tallied=True, asked=asked, wait=wait)
    elif missing(keeping.asked, keeping.answers):
        return False
    else:
        _keep(table, keeping)
        _return_cards(table)
        _open_second_half(table)
    return True


def _characters(table: Table, seat: SeatId) -> tuple[tuple[Field, str, Lying], ...]:
    """Return the characters of a seat's domain, with their fields and names on it."""
    return tuple(
        (zone, label, lying)
        for zone in Field
        for label, lying in lying_labels(table.seats[seat], zone).items()
        if is_character(table.cards, lying.card)
    )


def _question(keeping: Keeping) -> Question:
    pending = missing(keeping.asked, keeping.answers)
    return Question(Pace.CHOICE, keeping.asked, pending, sealed=True)


def _decide(table: Table, keeping: Keeping, seat: SeatId) -> Decision:
    """Offer every character of the domain, if it is the only one too (OD-115, OD-208, D-17).

    The default is the first character, else the one that was placed earliest.
    """
    characters = _characters(table, seat)
    options = tuple(
        Option(
            f"keep_character:{zone.value}:{label}",
            "keep_character",
            {"zone": zone.value, "card": label},
        )
        for zone, label, _ in characters
    )
    first = min(
        range(len(characters)),
        key=lambda i: (not characters[i][2].fc, characters[i][2].since),
    )
    return Decision("", "keep", options, options[first].id, sealed=True, prompt=PROMPTS["keep"])


def _take(table: Table, keeping: Keeping, seat: SeatId, option: Option, value: Value) -> None:
    table.stage = evolve(keeping, answers=sealed(keeping.answers, Sealed(seat, option)))


def _take_defaults(table: Table, keeping: Keeping) -> None:
    late = []
    for seat in missing(keeping.asked, keeping.answers):
        decision = _decide(table, keeping, seat)
        option = next(o for o in decision.options if o.id == decision.default)
        late.append(Sealed(seat, option))
    table.stage = evolve(keeping, answers=sealed(keeping.answers, *late))


def _keep(table: Table, keeping: Keeping) -> None:
    """Show what each seat keeps: it stays on its field, with its mark if it has it (OD-116)."""
    for answer in keeping.answers:
        if answer.option is None:
            raise TypeError("a choice of a character names one")
        zone, label = Field(arg(answer.option, "zone")), arg(answer.option, "card")
        owner = table.seats[answer.seat]
        chosen = lying_labels(owner, zone)[label]
        lies = tuple(evolve(y, kept=y is chosen, spent=None) for y in field(owner, zone))
        table.change(answer.seat, **{zone.value: lies})
        table.tell(events.Kept(answer.seat, zone.value, face(chosen.card)))


def _return_cards(table: Table) -> None:
    """Return everything else to the decks, unseen (OD-117, OD-119), and shuffle them.

    Cards of the pack go to the deck of the seat in whose zone they are, characters and events to
    that of the seat that supplied them (OD-118). A deck is sorted before it is shuffled, so that
    nothing depends on where its cards were; the seats go by number, resource deck first.
    """
    end_marks(table, by=None)
    resources: list[list[CardRef]] = [list(seat.resource_deck) for seat in table.seats]
    characters: list[list[CardRef]] = [list(seat.character_deck) for seat in table.seats]
    for seat in table.everybody():
        owner = table.seats[seat]
        leaving = [lying for _, lying in domain(owner) if not lying.kept]
        for lying in leaving:
            if lying.fc:
                table.tell(events.FcLost(seat, face(lying.card)))
        for card in (*owner.hand, *owner.pile, *(lying.card for lying in leaving)):
            home = supplier(card)
            (resources[seat] if home is None else characters[home]).append(card)
        table.change(
            seat,
            hand=(),
            pile=(),
            song=tuple(lying for lying in owner.song if lying.kept),
            dance=tuple(lying for lying in owner.dance if lying.kept),
        )
    for seat in table.everybody():
        resource, table.entropy = table.entropy.shuffle(sorted(resources[seat]))
        character, table.entropy = table.entropy.shuffle(sorted(characters[seat], key=face))
        table.change(seat, resource_deck=resource, character_deck=character)
        table.tell(events.ZonesReturned(seat, len(resource), len(character)))


def _open_second_half(table: Table) -> None:
    """Draw the first hands of half 2 and decide the turn order again (OD-120).

    A seat that has lost its first character gets none by keeping another (OD-60), unless the room
    plays with `fc_succession` `kept` or `next`.
    """
    for seat in table.everybody():
        kept = domain(table.seats[seat])
        if kept and not kept[0][1].fc and table.options.fc_succession != "none":
            set_first_character(table, seat, *kept[0])
    first_hands(table)
    for seat in table.everybody():
        table.change(seat, place=None)
    table.half = 2
    table.order = ()
    table.midway_due = None
    table.barren = 0
    table.stage = opening(len(table.seats))


# --- the end -----------------------------------------------------------------------------------


def _ends(table: Table, over: Over) -> bool:
    """Make the final tally and rank the seats, once (OD-126); then nothing goes on (OD-131)."""
    if over.outcome is not None:
        return False
    tally(table)
    ranking = rank(tuple(seat.vp for seat in table.seats))
    table.tell(events.Ranked(ranking))
    table.stage = evolve(over, outcome=Outcome(ranking, over.reason))
    return True


def rank(points: tuple[int, ...]) -> tuple[Rank, ...]:
    """Rank seats by VP, the aim of the game, highest first (OD-16).

    Equal VP share a rank and the next rank is skipped (OD-127).
    """
    by_points = sorted(range(len(points)), key=lambda seat: -points[seat])
    return tuple(
        Rank(SeatId(seat), 1 + sum(other > points[seat] for other in points), points[seat])
        for seat in by_points
    )


KEEPING = Activity(
    go_on=_goes_on,
    question=_question,
    decide=_decide,
    answer=_take,
    expire=_take_defaults,
)
OVER = Activity(go_on=_ends)
