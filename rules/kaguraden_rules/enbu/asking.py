"""What a racer is asked: its choices as the options of a decision (EN-74)."""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.enbu import play
from kaguraden_rules.enbu.board import Board, Phase
from kaguraden_rules.enbu.books import CATALOGUE
from kaguraden_rules.enbu.choices import (
    UNDO,
    Choice,
    Drop,
    Perform,
    Stage,
    Swap,
    Take,
    format_choice,
)
from kaguraden_rules.enbu.race import Racer
from kaguraden_rules.kernel import Decision, Json, Option, SeatId, Text

__all__ = ["ask"]

_ACT = Text(
    "演目を披露するか、次の札をめくってください",
    "Perform a program, or go on to the next card",
)
_ACT_DROP = Text(
    "演目を披露するか、捨てるか、次の札をめくってください",
    "Perform or drop a program, or go on to the next card",
)


def ask(racer: Racer, seat: SeatId) -> Racer:
    """Return the racer with the decision of its position, of a new number; None when it is over."""
    board = racer.board
    if board.phase is Phase.OVER:
        return evolve(racer, decision=None)
    asked = racer.asked + 1
    options = [option(board, choice) for choice in play.choices(board)]
    if racer.can_undo:
        options.append(Option(UNDO, UNDO))
    decision = Decision(
        id=f"{seat}.{asked}",
        kind=board.phase.value,
        options=tuple(options),
        default=format_choice(play.default(board)),
        prompt=_prompt(board),
        leaving=format_choice(play.FINISH),  # EN-85
    )
    return evolve(racer, asked=asked, decision=decision)


def option(board: Board, choice: Choice) -> Option:
    """Return a choice as an option."""
    text = format_choice(choice)
    return Option(text, text.partition(":")[0], _args(board, choice))


def _args(board: Board, choice: Choice) -> dict[str, Json]:
    match choice:
        case Stage(slot):
            return {"slot": slot, "card": board.flipped}
        case Swap(hand, slot):
            return {"hand": hand, "slot": slot, "out": board.hand[hand - 1], "card": board.flipped}
        case Perform(program, sources):
            cards = play.taken_cards(board, sources)
            args: dict[str, Json] = {
                "program": program,
                "sources": list(sources),
                "cards": list(cards),
                "points": CATALOGUE.programs[program].points,
            }
            if wilds := play.stands_for(program, sources, cards):
                args["stands_for"] = dict(wilds)
            return args
        case Drop(slot):
            return {"slot": slot, "card": board.stage[slot - 1][-1], "program": board.pages[-1]}
        case Take():
            return {"card": board.flipped}
        case _:
            return {}


def _prompt(board: Board) -> Text:
    if board.flipped is None:
        return _ACT_DROP if play.can_drop(board) else _ACT
    card = CATALOGUE.cards[board.flipped]
    return Text(f"めくった札「{card.name}」を置いてください", f"Place the card: {card.gloss}")
