"""Non-interference over the wire: pairs of games that somebody cannot tell apart (protocol §15).

`python -m tests.hostile.pairs [--game GAME] [--pairs N] [--first SEED] [--workers N]`

Each pair is played in two houses at once, on one virtual clock: the real server with a journal, the
same people, the same server secrets. The games differ only in what the pair's viewer cannot see.
Everybody does the same in both, as far as that is the same thing. What the viewer, the spectators
and somebody who only watches the list of rooms are sent must be the same bytes at the same virtual
times, until the rules show where the games differ: updates, replies, refusals of acts that probe,
descriptions of the room, chat, what comes after a reconnection.

A pair is named by the seed of its game and its number there. The exit status is 1 if there is a leak.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import random
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import trio
import trio.testing
from kaguraden_rules.kernel import SeatId
from trio.testing import MockClock

from .chance import seeded_secrets
from .guests import Guest, Sent
from .probes import Probe, probes
from .stage import Scene, open_scene
from .twins import GAMES, Beat, Leak, Plot, Timed, plots_of

__all__ = ["count_game", "main"]

CHATTY = 0.1  # how often there is something besides the game in a beat
CURIOUS = 0.5


def count_game(seed: int, game: str) -> tuple[Counter[str], list[str]]:
    """Play the pairs of one game; return what was counted, and the leaks."""
    counted: Counter[str] = Counter()
    leaks: list[str] = []
    number = 0
    with seeded_secrets():
        try:
            for number, plot in enumerate(plots_of(game, seed)):
                clock = MockClock(autojump_threshold=0)
                counts, found = trio.run(_play, plot, seed, clock=clock)
                counted += counts
                leaks += [f"{game} {seed}, pair {number}\n{leak}" for leak in found]
        except Exception:  # one that the rules have already, or a fault of the test
            leaks.append(f"{game} {seed}, after pair {number}\n{traceback.format_exc(limit=-5)}")
    return counted, leaks


async def _play(plot: Plot, seed: int) -> tuple[Counter[str], list[str]]:
    rng = random.Random(f"people {seed}")
    opening = plot.opening
    counted: Counter[str] = Counter(pairs=1, spectators=plot.viewer is None)
    found: list[str] = []
    patch = rng.random() < 0.3
    async with AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(
                open_scene(
                    opening.game,
                    begun,
                    seats=opening.seats,
                    options=opening.options,
                    seed=seed,
                    standing=opening.standing,
                    patch=patch,
                )
            )
            for begun in (opening.one, opening.two)
        ]
        try:
            await _Play(plot, (one, two), rng, counted).run()
        except Exception:
            found.append(traceback.format_exc(limit=-5))
    return counted, found


class _Play:
    """One pair on its two stages."""

    def __init__(
        self, plot: Plot, scenes: tuple[Scene, Scene], rng: random.Random, counted: Counter[str]
    ) -> None:
        self.plot, self.scenes, self.rng, self.counted = plot, scenes, rng, counted
        self.compared: Counter[str] = Counter()  # frames of each who looks on

    async def run(self) -> None:
        """Play the pair until it is over."""
        await self._settle()
        while self._are_alike() and (beat := self.plot.next(*self.scenes)) is not None:
            await self._do(beat)
            self.counted["beats"] += 1

    def _are_alike(self) -> bool:
        """Hold what was sent against each other; False when it rightly differs."""
        steps = [scene.new_steps() for scene in self.scenes]
        self.counted["steps"] += len(steps[0])
        if self.plot.shows(*steps):
            self.counted["shown"] += 1
            return False
        self._compare()
        return True

    def _onlookers(self, scene: Scene) -> list[Guest]:
        mine = [] if self.plot.viewer is None else [scene.seats[self.plot.viewer]]
        return [*mine, scene.watcher, scene.outsider]

    async def _do(self, beat: Beat) -> None:
        """Do a beat in both houses, and what is tried besides."""
        begun = trio.current_time()
        extra = self._besides()
        async with trio.open_nursery() as nursery:
            for scene, acts in zip(self.scenes, (beat.one, beat.two), strict=True):
                nursery.start_soon(_carry_out, scene, acts, extra)
        await trio.sleep_until(begun + beat.lasts)
        await self._settle()

    def _besides(self) -> list[Probe]:
        """Return what else is tried in a beat: by who looks on, and sometimes by others."""
        one = self.scenes[0]
        found: list[Probe] = []
        if self.rng.random() < CURIOUS:
            who = self.rng.choice([self.plot.viewer, None])
            found.append(probes(self.rng, one, who))
        if self.rng.random() < CHATTY:
            seat = SeatId(self.rng.randrange(len(one.seats)))
            found.append(Probe(seat, "chat", {"room": one.room.code, "text": "はい、どうぞ"}))
        self.counted["probes"] += len(found)
        return found

    async def _settle(self) -> None:
        await trio.testing.wait_all_tasks_blocked()

    def _compare(self) -> None:
        for ours, theirs in zip(*map(self._onlookers, self.scenes), strict=True):
            since = self.compared[ours.name]
            first, second = ours.tape[since:], theirs.tape[since:]
            if first != second:
                raise Leak(f"{ours.name} is sent other things:\n{_difference(first, second)}")
            self.compared[ours.name] += len(first)
            self.counted["frames"] += len(first)
            self.counted["bytes"] += sum(len(text) for _, text in first)


async def _carry_out(scene: Scene, acts: tuple[Timed, ...], extra: list[Probe]) -> None:
    begun = trio.current_time()
    for probe in extra:
        await probe.carry_out(scene)
        await trio.testing.wait_all_tasks_blocked()  # what newer news replaces is sent before
    for act in acts:
        await trio.sleep_until(begun + act.after)
        await scene.act(act.seat, act.answer)


def _difference(one: Sequence[Sent], two: Sequence[Sent]) -> str:
    for a, b in itertools.zip_longest(one, two):
        if a != b:
            return f"{_shown(a)}\n{_shown(b)}"
    return "nothing"


def _shown(sent: Sent | None) -> str:
    return "nothing more" if sent is None else f"{sent[0]:.6f} {sent[1].decode()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the pairs and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", choices=(*GAMES, "all"), default="all")
    parser.add_argument("--pairs", type=int, default=100, help="of each game")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args(arguments)
    leaks = 0
    for game in GAMES if chosen.game == "all" else (chosen.game,):
        leaks += _play_many(game, chosen)
    return 1 if leaks else 0


def _play_many(game: str, chosen: Any) -> int:
    begun = time.perf_counter()
    counted: Counter[str] = Counter()
    leaks = 0
    with multiprocessing.Pool(chosen.workers) as pool:
        seeds = itertools.count(chosen.first)
        while counted["pairs"] < chosen.pairs:
            some = list(itertools.islice(seeds, 10 * chosen.workers))
            for counts, found in pool.imap_unordered(partial(count_game, game=game), some):
                counted += counts
                leaks += len(found)
                for leak in found:
                    print(leak, flush=True)
            print(f"{game}: {counted['pairs']} of {chosen.pairs} pairs", flush=True)
    print(
        f"{counted['pairs']} pairs of {game}: {leaks} leaks; {counted['frames']} frames "
        f"({counted['bytes'] / 1e6:.1f} MB) alike in {counted['beats']} beats with "
        f"{counted['steps']} steps and {counted['probes']} probes; {counted['shown']} ended by what "
        f"is rightly shown, {counted['spectators']} for spectators, "
        f"{time.perf_counter() - begun:.1f} s",
        flush=True,
    )
    return leaks


if __name__ == "__main__":
    raise SystemExit(main())
