"""Selling a lot by auction (OD-80).

The seller shows the lot and names the price. Other seats bid how many cards they would give, by
calling out or, with `auction_mode = polled`, one after another until all but the leader are out.
Whom the auction asks is a public test of numbers; what a seat can really pay limits its own
options only (OD-88). The winner chooses what it pays, both sides give and then receive; or nobody
wants the lot, and the seller may recover it with A before it is discarded. No other card can be
used from the opening to the settlement (OD-93): the sale's frame is on top all the while.
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import CardsValue, Decision, IntValue, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity, Question, as_cards, as_number
from kaguraden_rules.odoriko.faces import is_resource, is_special
from kaguraden_rules.odoriko.gains import pick_cards, receive
from kaguraden_rules.odoriko.moves import discard
from kaguraden_rules.odoriko.refs import Back, CardRef, back, face, faces
from kaguraden_rules.odoriko.state import Discarding, Sale, SaleStep, Taker, WindowName
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.windows import PASS, open_window
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import HAND_LIMIT, resource_backs

__all__ = ["MAX_PRICE", "PRICE_KINDS", "SALE", "open_sale", "payable", "sellable"]

PRICE_KINDS = ("resource", "special", "either")
MAX_PRICE = HAND_LIMIT  # more is never payable (OD-82)
DONE = Option("done", "done")


def sellable(hand: tuple[CardRef, ...]) -> tuple[CardRef, ...]:
    """Return the cards of a hand that may be sold: resource and special cards (OD-81, OD-95)."""
    return tuple(card for card in hand if back(card) is Back.RESOURCE)


def payable(sale: Sale, hand: tuple[CardRef, ...]) -> tuple[CardRef, ...]:
    """Return the cards of a hand that the price asks for (OD-82, OD-95)."""
    match sale.price_kind:
        case "resource":
            return tuple(card for card in hand if is_resource(face(card)))
        case "special":
            return tuple(card for card in hand if is_special(face(card)))
        case _:
            return sellable(hand)


# --- opening and bidding -----------------------------------------------------------------------


def open_sale(
    table: Table, seller: SeatId, lot: tuple[CardRef, ...], price_kind: str, price: int
) -> None:
    """Show a lot from the seller's hand and its price (OD-81, OD-82); it is one lot (OD-83)."""
    hand = table.seats[seller].hand
    table.change(seller, hand=tuple(card for card in hand if card not in lot))
    polled = table.options.auction_mode == "polled"
    sale = _ask(table, Sale(seller, lot, price_kind, price, polled))
    table.tell(events.AuctionOpened(seller, faces(lot), price_kind, price, sale.asked))
    table.stack.append(sale)


def _able(table: Table, sale: Sale) -> tuple[SeatId, ...]:
    """Return who may bid by what is public, from the seller's left (OD-88).

    All seats but the seller with so many resource-back cards that they might pay; not the leader,
    and not who has passed for good.
    """
    least = _least_bid(sale)
    out = (sale.seller, sale.leader, *sale.passed)
    return tuple(
        seat
        for seat in table.from_left_of(sale.seller)
        if seat not in out and resource_backs(table.seats[seat]) >= least
    )


def _least_bid(sale: Sale) -> int:
    """Return the least number that may be bid: the price, or more than the best (OD-84, OD-85)."""
    return sale.price if sale.best is None else sale.best + 1


def _ask(table: Table, sale: Sale) -> Sale:
    """Return the sale as it asks next: all who are able or, polled, one seat (OD-85)."""
    able = _able(table, sale)
    if not able:
        return evolve(sale, asked=(), wait=None)
    asked = able
    if sale.polled:  # OD-206
        last = sale.asked[0] if sale.asked else sale.seller
        asked = tuple(seat for seat in table.from_left_of(last) if seat in able)[:1]
    return evolve(sale, asked=asked, done=(), wait=table.next_wait())


def _go_on(table: Table, sale: Sale) -> bool:
    match sale.step:
        case SaleStep.BIDDING if sale.asked:
            return False
        case SaleStep.BIDDING:
            _close(table, sale)
        case SaleStep.PAYMENT:
            return False
        case SaleStep.RECEIVING:
            table.stack.pop()
        case SaleStep.UNSOLD:
            _discard_lot(table, sale)
    return True


def _question(sale: Sale) -> Question:
    if sale.step is SaleStep.PAYMENT or sale.polled:
        asked = sale.asked
        return Question(Pace.CHOICE, asked, asked)
    pending = tuple(seat for seat in sale.asked if seat not in sale.done)
    return Question(Pace.AUCTION, sale.asked, pending, minimum=True)


def _decide(table: Table, sale: Sale, seat: SeatId) -> Decision:
    """Offer the bids that the seat can pay (D-12, OD-87), or what it pays with (D-13, OD-89).

    Also where there is but one way to pay (OD-208).
    """
    able = payable(sale, table.seats[seat].hand)
    if sale.step is SaleStep.PAYMENT:
        number = sale.best or 0
        pay = Option("pay", "pay", value=CardsValue(faces(able), number, number))
        return Decision("", "payment", (pay,), pay.id, prompt=PROMPTS["payment"])
    options = [PASS if sale.polled else DONE]
    least, most = _least_bid(sale), len(able)
    if least <= most:
        options.append(Option("bid", "bid", value=IntValue(least, most)))
    return Decision("", "auction", tuple(options), options[0].id, prompt=PROMPTS["auction"])


def _answer(table: Table, sale: Sale, seat: SeatId, option: Option, value: Value) -> None:
    match option.kind:
        case "pay":
            chosen = as_cards(value)
            hand = table.seats[seat].hand
            _exchange(table, sale, tuple(card for card in hand if face(card) in chosen))
        case "bid":
            number = as_number(value)  # cannot be withdrawn (OD-86)
            led = _ask(table, evolve(sale, best=number, leader=seat))
            table.tell(events.AuctionBid(seat, number, led.asked))
            table.stack[-1] = led
        case "done":  # in private, until a higher bid (OD-88, OD-205)
            table.update(done=tuple(sorted((*sale.done, seat))))
        case _:
            _pass(table, sale)


def _pass(table: Table, sale: Sale) -> None:
    """Let the polled seat pass for good, in public (OD-85)."""
    out = _ask(table, evolve(sale, passed=(*sale.passed, *sale.asked)))
    table.tell(events.AuctionPassed(sale.asked[0], out.asked))
    table.stack[-1] = out


def _expire(table: Table, sale: Sale) -> None:
    if sale.step is SaleStep.PAYMENT:
        able = payable(sale, table.seats[sale.asked[0]].hand)
        _exchange(table, sale, pick_cards(table, able, sale.best or 0))
    elif sale.polled:
        _pass(table, sale)
    else:
        table.update(asked=(), wait=None)


# --- settling ----------------------------------------------------------------------------------


def _close(table: Table, sale: Sale) -> None:
    """End the bidding: the winner pays, or the seller may use A on what nobody bought (OD-94)."""
    table.tell(events.AuctionClosed(sale.leader, sale.best))
    if sale.leader is not None:
        table.update(step=SaleStep.PAYMENT, asked=(sale.leader,), wait=table.next_wait())
    else:
        table.update(step=SaleStep.UNSOLD)
        open_window(table, WindowName.A)


def _exchange(table: Table, sale: Sale, payment: tuple[CardRef, ...]) -> None:
    """Let both sides give, then both receive (OD-91). Others do not see the payment (OD-90)."""
    if sale.leader is None:
        raise TypeError("a sale without a buyer")
    hidden = table.options.payment_view == "private"
    hand = table.seats[sale.leader].hand
    table.change(sale.leader, hand=tuple(card for card in hand if card not in payment))
    table.tell(
        events.CardsExchanged(
            sale.seller,
            sale.leader,
            faces(sale.lot),
            sale.price_kind,
            len(payment),
            shown=None if hidden else faces(payment),
            payment=faces(payment),
        )
    )
    table.update(step=SaleStep.RECEIVING, lot=(), asked=(), wait=None)
    receive(
        table,
        Taker(sale.leader, sale.lot, hidden=False),
        Taker(sale.seller, payment, hidden=hidden),
    )


def _discard_lot(table: Table, sale: Sale) -> None:
    """Send what was not sold, nor recovered, to the seller's pile as one batch (OD-92, OD-94)."""
    table.stack.pop()
    lot = [Discarding(card, sale.seller, "lot") for card in sale.lot]
    discard(table, lot, "unsold")


SALE = Activity(go_on=_go_on, question=_question, decide=_decide, answer=_answer, expire=_expire)
