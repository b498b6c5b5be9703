"""Hostile input: messages, frames and timing against a real server, with an honest room beside it.

`python -m tests.hostile.fuzz [--messages N] [--frames N] [--seed S] [--talkers N] [--breakers N]`

A server process with a journal that asks nobody to slow down, and then one with the usual limits for
a share of it; people who send messages of every sort over real connections
(`talkers`), others who break the rules of WebSocket, HTTP and time (`frames`), each from addresses
of their own; and a room that plays honestly meanwhile (`honest`). Nothing of it runs inside the
server's process. The exit status is 1 if the server broke a rule of the protocol, logged a fault,
ended, or grew; or if the honest room was not served as it has to be.

Memory is measured under the load: what the server has at the end (the median of the last tenth of
the time) against what it had when it was warm (the median of the second tenth).
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import trio
from attrs import define, field

from tests.end_to_end.raw import connected

from .frames import Breaker
from .honest import Company, Served, honest_room
from .process import SETTINGS, STRICT, Server, open_server
from .talkers import Broken, Talker

__all__ = ["Attack", "Result", "attack", "main"]

GROWTH_KIB = 5 * 1024
WARM_S = 300.0  # a shorter run is all warm-up
STRICT_SHARE = 20  # one in so many messages and frames goes to a server with the usual limits
PASSWORDS = 4
ALONE_S = 3.0  # how long the honest room plays alone first
LOOK_S = 0.5
TELL_S = 10.0


@define
class Attack:
    """How much is done."""

    messages: int
    frames: int
    seed: int = 0
    talkers: int = 8
    breakers: int = 16
    settings: str = SETTINGS


@define
class Result:
    """What came of it."""

    counted: Counter[str] = field(factory=Counter)
    memory: list[tuple[float, int]] = field(factory=list)  # seconds, KiB
    served: dict[str, Served] = field(factory=dict)
    complaints: Counter[str] = field(factory=Counter)
    events: Counter[str] = field(factory=Counter)  # in the log
    late_s: float = 0.0  # how late this program itself was woken at worst
    problems: list[str] = field(factory=list)
    seconds: float = 0.0

    @property
    def growth_kib(self) -> int:
        """Return by how much the server grew after it was warm."""
        sizes = [size for _, size in self.memory]
        tenth = max(1, len(sizes) // 10)
        warm, last = sizes[tenth : 2 * tenth], sizes[-tenth:]
        return round(statistics.median(last) - statistics.median(warm or last))


def attack(folder: Path, plan: Attack, *, tells: bool = False) -> Result:
    """Do it, and return what came of it."""
    result = Result()
    with open_server(folder, plan.settings) as server, honest_room(server.url) as company:
        begun = time.monotonic()
        try:
            trio.run(_attack, server, company, plan, result, tells)
        except* (Broken, AssertionError, ValueError, OSError) as group:
            result.problems += [repr(error) for error in group.exceptions]
        result.seconds = time.monotonic() - begun
        result.problems += _look_at(server)
        if server.is_alive:
            try:
                result.served = company.end()
            except AssertionError as error:
                result.problems.append(str(error))
            if server.stop() != 0:
                result.problems.append("the server does not stop in order")
        verdict = server.judge()
        result.complaints, result.events = verdict.complaints, verdict.events
        result.problems += [f"logged: {line}" for line in verdict.faults[:20]]
    return result


def _look_at(server: Server) -> list[str]:
    if not server.is_alive:
        return [f"the server ended with {server.process.returncode}"]
    return [] if server.is_healthy() else ["/healthz does not answer"]


async def _attack(
    server: Server, company: Company, plan: Attack, result: Result, tells: bool
) -> None:
    await _use_passwords(server)
    await trio.sleep(ALONE_S)
    company.begin("beside")
    counted = result.counted
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_look, server, company, result, plan, tells)
        async with trio.open_nursery() as crowd:
            for number in range(plan.talkers):
                crowd.start_soon(Talker(server.port, number, plan.seed, counted, plan.messages).run)
            for number in range(plan.breakers):
                crowd.start_soon(Breaker(server.port, number, plan.seed, counted, plan.frames).run)
        nursery.cancel_scope.cancel()


async def _use_passwords(server: Server) -> None:
    """Have some passwords hashed at once: what each worker takes for it, it keeps."""
    async with trio.open_nursery() as nursery:
        for number in range(PASSWORDS):
            nursery.start_soon(_use_password, server, number)


async def _use_password(server: Server, number: int) -> None:
    async with connected(server.url, f"P{number}", number) as client:
        for _ in range(3):
            await client.ask("create", game="enbu", seats=1, password="sesame")  # noqa: S106


async def _look(
    server: Server, company: Company, result: Result, plan: Attack, tells: bool
) -> None:
    begun = told = trio.current_time()
    while True:
        before = trio.current_time()
        await trio.sleep(LOOK_S)
        result.late_s = max(result.late_s, trio.current_time() - before - LOOK_S)
        if not server.is_alive or not company.is_well:
            raise Broken("the server or the honest room has ended")
        now = trio.current_time()
        result.memory.append((now - begun, server.rss_kib()))
        if tells and now - told >= TELL_S:
            told = now
            counted = result.counted
            print(
                f"{now - begun:.0f} s: {counted['messages']} of {plan.messages} messages, "
                f"{counted['frames']} of {plan.frames} frames, "
                f"{result.memory[-1][1] / 1024:.1f} MiB, {server.cpu_s():.0f} s of the server's time",
                flush=True,
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack a server, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--frames", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--talkers", type=int, default=8)
    parser.add_argument("--breakers", type=int, default=16)
    parser.add_argument("--keep", type=Path, help="a folder that the servers' logs are kept in")
    parser.add_argument("--p99-ms", type=float, default=2_000, help="for the honest room's acts")
    chosen = parser.parse_args(arguments)
    share = chosen.messages // STRICT_SHARE, chosen.frames // STRICT_SHARE
    crowd = (chosen.seed, chosen.talkers, chosen.breakers)
    plans = {
        "without limits of the rate": Attack(
            chosen.messages - share[0], chosen.frames - share[1], *crowd, SETTINGS
        ),
        "with the usual limits": Attack(*share, *crowd, STRICT),
    }
    total: Counter[str] = Counter()
    problems = 0
    begun = time.monotonic()
    for name, plan in plans.items():
        print(f"{name}:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            result = attack(Path(folder), plan, tells=True)
            if chosen.keep is not None:
                shutil.copy(Path(folder) / "server.log", chosen.keep / f"{name}.log")
        _report(result, chosen.p99_ms)
        total += result.counted
        problems += len(result.problems)
    print(
        f"{total['messages']} messages, {total['frames']} frames, seed {chosen.seed}: "
        f"{problems} problems, {time.monotonic() - begun:.0f} s"
    )
    return 1 if problems else 0


def _report(result: Result, p99_ms: float) -> None:
    """Hold a result against what was promised, and print it."""
    beside = result.served.get("beside")
    if beside is None or not beside.acts:
        result.problems.append("the honest room did not play")
    elif beside.p99_ms > p99_ms:
        result.problems.append(f"the honest room waited: {beside}")
    if result.seconds >= WARM_S and result.growth_kib > GROWTH_KIB:
        result.problems.append(f"the server grew by {result.growth_kib} KiB")
    for problem in result.problems:
        print(f"  PROBLEM {problem}")
    print("  counted:", ", ".join(f"{n} {what}" for what, n in result.counted.most_common()))
    print("  logged:", ", ".join(f"{n} {what}" for what, n in result.events.most_common()))
    print("  complaints of the libraries:", dict(result.complaints))
    print(f"  this program itself was woken {result.late_s:.1f} s late at worst")
    for part, served in result.served.items():
        print(
            f"  the honest room, {part}: {served.games} games, {served.acts} acts; replies after "
            f"{served.p50_ms:.0f} ms (median), {served.p99_ms:.0f} ms (p99), "
            f"{served.worst_ms:.0f} ms (worst)"
        )
    tenths = [size for _, size in result.memory][:: max(1, len(result.memory) // 10)]
    print("  memory in MiB:", " ".join(f"{size / 1024:.1f}" for size in tenths))
    print(
        f"  {len(result.problems)} problems, growth {result.growth_kib} KiB after warm-up, "
        f"{result.seconds:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
