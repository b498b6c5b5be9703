"""How a game ends: first and second victory, 夢ヲチ and the rematch (§7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from kaguraden_rules.kernel import Outcome, Rank, SeatId
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import moves, setup
from kaguraden_rules.yumeochi.card import Window
from kaguraden_rules.yumeochi.conditions import Asker, all_hold
from kaguraden_rules.yumeochi.counting import count
from kaguraden_rules.yumeochi.revealing import reveal
from kaguraden_rules.yumeochi.state import Count, Over, Phase, Rematch, Result
from kaguraden_rules.yumeochi.table import EVERYBODY, Table

__all__ = ["answer_rematch", "check", "count_up", "end_without_rivals", "outcome_of"]


# --- first victory -------------------------------------------------------------------------------


def check(table: Table, window: Window) -> bool:
    """Check the first victories of a window, of all living seats at once (YU-76 to YU-81).

    Returns:
        Whether the game is over.
    """
    if table.origin is None:
        return False
    winners = [seat for seat in table.living(table.origin) if _fulfils(table, seat, window)]
    if not winners:
        return False
    for seat in winners:
        moves.reveal_role(table, seat, "victory")
    if table.options.simultaneous_win == "origin_first":  # YU-80, YU-121
        winners = winners[:1]
    table.tell(e.FirstVictory(table.hour, tuple(winners), window.value))
    _end(table, Result("first", tuple(winners), window=window.value))
    return True


def _fulfils(table: Table, seat: SeatId, window: Window) -> bool:
    role = table.seats[seat].role
    win = table.cards.role_of[role].win
    if win.check is not window:
        return False
    return all_hold(table, win.conditions, Asker(seat, role, table.hour))


# --- second victory ------------------------------------------------------------------------------


def end_without_rivals(table: Table) -> bool:
    """End the game when nobody lives (YU-74), or one seat where that wins (YU-75).

    Returns:
        Whether the game is over.
    """
    living = table.living(EVERYBODY[0])
    if not living and table.options.all_dead == "dream":
        _end(table, Result("dream", ()))
    elif not living:
        count_up(table)
    elif len(living) == 1 and table.options.last_survivor == "wins":
        _end(table, Result("survivor", tuple(living)))
    else:
        return False
    return True


def count_up(table: Table) -> None:
    """End the game by the second victory: most stars, the dead included (YU-83 to YU-87)."""
    counts = tuple(count(table.options, seat, table.seats[seat]) for seat in EVERYBODY)
    result, winners = _best(counts, table.origin)
    table.tell(e.FinalCount(table.hour, counts, result))
    _end(table, Result(result, winners, counts=counts))


def _best(
    counts: Sequence[Count], origin: SeatId | None
) -> tuple[Literal["stars", "origin", "cards", "dream"], tuple[SeatId, ...]]:
    """Return which step decides, and for whom; nobody wins a dream."""
    most = max(c.stars for c in counts)
    tied = [c for c in counts if c.stars == most]
    if len(tied) == 1:
        return "stars", (tied[0].seat,)
    if origin in [c.seat for c in tied]:  # YU-85
        return "origin", tuple(c.seat for c in tied if c.seat == origin)
    cards = max(c.cards for c in tied)
    richest = [c.seat for c in tied if c.cards == cards]
    if len(richest) == 1:  # YU-86
        return "cards", (richest[0],)
    return "dream", ()


# --- the end and the rematch ---------------------------------------------------------------------


def _end(table: Table, result: Result) -> None:
    """End a game; all of it is shown (YU-19), and a dream may be played again (YU-88)."""
    table.tell(e.GameEnded(table.hour, result.result, result.winners))
    table.tell(e.AllRevealed(table.hour, **attrs.asdict(reveal(table), recurse=False)))
    table.stack.clear()
    options = table.options
    if result.winners:
        _close(table, result)
    elif options.replay == "off" or table.game_no > options.replay_limit:
        _draw_match(table, result)
    elif options.replay == "ask":
        table.stage = Rematch(result)
        table.ask(Phase.REMATCH)
    else:
        _play_again(table)


def _close(table: Table, result: Result) -> None:
    table.stage, table.phase = Over(result), Phase.OVER


def _draw_match(table: Table, result: Result) -> None:
    table.tell(e.MatchDrawn(table.hour))
    _close(table, result)


def _play_again(table: Table) -> None:
    """Deal a new game with nothing carried over (YU-88)."""
    table.lay_anew(setup.deal(table.options, table.key, table.game_no + 1))


def answer_rematch(table: Table, answers: dict[SeatId, bool]) -> None:
    """Note answers about a rematch; it is played if all want it (DP-7, YU-117)."""
    stage = table.stage
    if not isinstance(stage, Rematch):
        raise TypeError("nobody is asked about a rematch")
    given = tuple(answers.get(seat, stage.answers[seat]) for seat in EVERYBODY)
    said = tuple(answer for answer in given if answer is not None)
    if len(said) < len(given):
        table.stage, table.phase = Rematch(stage.result, given), Phase.REMATCH
        return
    table.tell(e.RematchAnswered(table.hour, said))
    if all(said):
        _play_again(table)
    else:
        _draw_match(table, stage.result)


def outcome_of(result: Result) -> Outcome:
    """Return the ranking: winners share the first place, nobody loses a drawn match (YU-118)."""
    winners = result.winners or EVERYBODY
    ranking = [Rank(seat, 1, 1 if result.winners else 0) for seat in winners]
    losers = [seat for seat in EVERYBODY if seat not in winners]
    ranking += [Rank(seat, len(winners) + 1, 0) for seat in losers]
    return Outcome(tuple(ranking), result.result)
