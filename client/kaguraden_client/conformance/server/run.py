"""Trying the clauses of a server, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import trio
from attrs import evolve

from ..clause import Clause, Failed, Level, Result, Skipped, Verdict
from .guest import Allowance, Flooded
from .kit import Kit
from .line import Ended, NoHandshake
from .registry import Check

__all__ = ["try_clause", "try_clauses"]

TOO_MUCH: Final = (
    "サーバーが送りすぎるので、ここで終わります",
    "the server sends too much, so the run ends here",
)


async def try_clause(clause: Clause[Check], kit: Kit) -> Result:
    """Try one clause, within its time; skip it if the kit is in trouble."""
    if kit.trouble is not None:
        return Result(clause, Verdict.SKIPPED, why=kit.trouble)
    kit.allowance = Allowance()
    began = trio.current_time()
    result = await _verdict(clause, kit)
    return evolve(result, seconds=trio.current_time() - began)


async def _verdict(clause: Clause[Check], kit: Kit) -> Result:
    broken = Verdict.FAILED if clause.level is Level.MUST else Verdict.NOT_DONE
    try:
        with trio.fail_after(clause.seconds) as scope:
            kit.scope = scope
            await clause.try_it(kit)
    except Failed as failed:
        if isinstance(failed, Flooded):
            kit.trouble = TOO_MUCH
        return Result(clause, broken, sent=failed.sent, expected=failed.expected, came=failed.came)
    except Skipped as skipped:
        return Result(clause, Verdict.SKIPPED, why=(skipped.ja, skipped.en))
    except trio.TooSlowError:
        expected = f"an end within {clause.seconds:g} s"
        return Result(clause, broken, expected=expected, came="it was not over by then")
    except NoHandshake as refused:
        return Result(clause, broken, sent="a handshake", expected="101", came=str(refused))
    except (OSError, trio.BrokenResourceError) as error:
        came = f"{type(error).__name__}: {error}"
        return Result(clause, broken, sent="HTTP", expected="an answer", came=came)
    except Ended as end:
        return Result(clause, broken, expected="a connection that goes on", came=str(end))
    except Exception as error:
        # A message that lacks what every message of its kind has, or has what none may have:
        # whatever a clause stumbles over then, it is the server that does not keep it.
        came = f"{type(error).__name__}: {error}"
        return Result(clause, broken, expected="messages as in the schema", came=came)
    return Result(clause, Verdict.PASSED)


async def try_clauses(
    clauses: Iterable[Clause[Check]],
    kit: Kit,
    on_result: Callable[[Result], None],
    on_start: Callable[[Clause[Check]], None] = lambda _clause: None,
) -> list[Result]:
    """Try clauses in order; every result is told as soon as it is there."""
    results = []
    for clause in clauses:
        on_start(clause)
        result = await try_clause(clause, kit)
        results.append(result)
        on_result(result)
    return results
