"""The real server under load, against bare websockets on trio in the same rounds.

    make bench ARGS="load --rounds 5 --out load.json"

Each round starts every server anew: without a journal, with one on disk, and the yardstick (`bare`),
each with 50 and with 500 rooms of four, and with one room what the journal adds to an act. Where there
are two cores, servers have the first and the load (`talkers`) the second. Prints a table of the
medians, with the least and the most of the rounds; a ratio is that of two figures of one round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attrs import frozen
from cattrs.preconf.json import make_converter
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import SeatId
from kaguraden_server.journal import store
from kaguraden_server.streams import dump, view_to_wire

from tests.bench.processes import load, open_bare, open_product
from tests.bench.sample import GAME, position
from tests.crash import recoveries

__all__ = ["ROWS", "Sizes", "codec_us", "commit_ms", "main", "measure_round", "rows", "shares"]

Json = dict[str, Any]

LIBRARIES = ("trio", "websockets", "attrs", "cattrs")
ONE_ROOM_RATE = 40.0  # acts a second, so that none waits for the one before
COMMIT_BYTES = 300  # about a step of a game
RECOVERED_STEPS = 100  # of one game of each kind, before it is copied
PROFILE_S = 5.0


@frozen
class Sizes:
    """How much is measured."""

    few: int = 50  # rooms
    many: int = 500
    seconds: float = 3.0  # of each measurement
    rate: float = 300.0  # acts a second, where they are paced
    calls: int = 2_000  # of the codec
    commits: int = 200


def measure_round(folder: Path, sizes: Sizes) -> Json:
    """Return what one round found; `folder` is on the disk to measure."""
    openers: dict[str, Callable[[Path], Any]] = {
        "off": lambda folder: open_product(folder, journal=False),
        "on": lambda folder: open_product(folder, journal=True),
        "bare": open_bare,
    }
    found: Json = {}
    for name, opener in openers.items():
        with tempfile.TemporaryDirectory(dir=folder) as here, opener(Path(here)) as served:
            times = {"saturate": sizes.seconds, "pace": sizes.seconds, "rate": sizes.rate}
            found[f"{name} few"] = load(served, rooms=sizes.few, **times)
    for name, opener in openers.items():
        with tempfile.TemporaryDirectory(dir=folder) as here, opener(Path(here)) as served:
            found[f"{name} many"] = load(served, rooms=sizes.many, saturate=sizes.seconds)
    for name in ("off", "on"):
        with tempfile.TemporaryDirectory(dir=folder) as here, openers[name](Path(here)) as served:
            found[f"{name} one"] = load(served, rooms=1, pace=sizes.seconds, rate=ONE_ROOM_RATE)
    found["commit_ms"] = commit_ms(folder, sizes.commits)
    found["paced_commit_ms"] = commit_ms(folder, sizes.commits // 4, 1 / ONE_ROOM_RATE)
    found["codec"] = codec_us(sizes.calls)
    return found


def commit_ms(folder: Path, times: int, pause: float = 0.0) -> float:
    """Return how long SQLite takes to make one row durable, in milliseconds: the median.

    With a pause, in seconds, between the commits the core and the disk are as idle as they are
    between the acts of one room.
    """
    took = []
    with tempfile.TemporaryDirectory(dir=folder) as here:
        file = Path(here) / "floor.sqlite3"
        file.touch()
        connection = store.connect(file, writes=True)
        connection.execute("CREATE TABLE floor (n INTEGER PRIMARY KEY, body BLOB)")
        body = os.urandom(COMMIT_BYTES)
        for n in range(times):
            time.sleep(pause)
            begun = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO floor VALUES (?, ?)", (n, body))
            connection.execute("COMMIT")
            took.append(time.perf_counter() - begun)
        connection.close()
    return statistics.median(took) * 1000


def codec_us(calls: int) -> Json:
    """Return how long a view takes to be bytes, in microseconds: by the server, and by cattrs."""
    game = GAMES[GAME]
    view = game.view(position(), SeatId(0))
    converter = make_converter()
    ways: dict[str, Callable[[], object]] = {
        "product": lambda: dump(view_to_wire(view)),
        "cattrs": lambda: converter.dumps(view),
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(10):  # by turns, so that both have the same disturbances
        for name, way in ways.items():
            begun = time.perf_counter()
            for _ in range(calls // 10):
                way()
            took[name].append((time.perf_counter() - begun) / (calls // 10) * 1e6)
    return {name: round(statistics.median(times), 2) for name, times in took.items()}


# --- the table -----------------------------------------------------------------------------------


@frozen
class Row:
    """A line of the table: a quantity, its yardstick of the same round, and what was asked for."""

    what: str
    here: Callable[[Json], float]
    there: Callable[[Json], float]
    asked: str = ""


def rate_of(run: str) -> Callable[[Json], float]:
    """Return what gives the acts a second of a saturated run."""
    return lambda found: float(found[run]["saturated"]["acts_per_s"])


def rate_per_cpu(run: str) -> Callable[[Json], float]:
    """Return what gives the acts of a saturated run for each second that its server computed."""
    return lambda found: rate_of(run)(found) / max(found[run]["saturated"]["server_cpu"], 0.01)


def of(run: str, *keys: str) -> Callable[[Json], float]:
    """Return what gives a figure of a run."""

    def get(found: Json) -> float:
        value = found[run]
        for key in keys:
            value = value[key]
        return float(value)

    return get


ROWS = (
    Row(
        "acts/s, few rooms, no journal : bare",
        rate_of("off few"),
        rate_of("bare few"),
        "≥ 0.9, 1.15",
    ),
    Row(
        "acts/s, few rooms, journal : bare",
        rate_of("on few"),
        rate_of("bare few"),
        "≥ 0.75, 1.0",
    ),
    Row(
        "acts/CPU s, few rooms, no journal : bare",
        rate_per_cpu("off few"),
        rate_per_cpu("bare few"),
    ),
    Row("acts/CPU s, few rooms, journal : bare", rate_per_cpu("on few"), rate_per_cpu("bare few")),
    Row(
        "acts/s, no journal, many rooms : few",
        rate_of("off many"),
        rate_of("off few"),
        "≥ 0.9, 1.0",
    ),
    Row("acts/s, journal, many rooms : few", rate_of("on many"), rate_of("on few")),
    Row("acts/s, bare, many rooms : few", rate_of("bare many"), rate_of("bare few")),
    Row(
        "p50 paced, no journal : bare, ms",
        of("off few", "paced", "p50_ms"),
        of("bare few", "paced", "p50_ms"),
    ),
    Row(
        "p99 paced, no journal : bare, ms",
        of("off few", "paced", "p99_ms"),
        of("bare few", "paced", "p99_ms"),
    ),
    Row(
        "p99 paced, journal : bare, ms",
        of("on few", "paced", "p99_ms"),
        of("bare few", "paced", "p99_ms"),
    ),
    Row(
        "p50 added by the journal, one room : a commit, ms",
        lambda found: (
            of("on one", "paced", "p50_ms")(found) - of("off one", "paced", "p50_ms")(found)
        ),
        lambda found: float(found["commit_ms"]),
        "≤ 1.2, 1.0",
    ),
    Row(
        "the same : a commit at the pace of the acts, ms",
        lambda found: (
            of("on one", "paced", "p50_ms")(found) - of("off one", "paced", "p50_ms")(found)
        ),
        lambda found: float(found["paced_commit_ms"]),
    ),
    Row(
        "memory of an idle member : bare, KiB",
        of("off many", "idle_kib"),
        of("bare many", "idle_kib"),
        "≤ 1.5, 1.3",
    ),
    Row(
        "memory of a member in play : bare, KiB",
        of("off many", "used_kib"),
        of("bare many", "used_kib"),
    ),
    Row(
        "set-ups/s, no journal : bare",
        of("off many", "setups_per_s"),
        of("bare many", "setups_per_s"),
        "≥ 0.6, 0.8",
    ),
    Row(
        "set-ups/CPU s, no journal : bare",
        of("off many", "setups_per_cpu_s"),
        of("bare many", "setups_per_cpu_s"),
    ),
    Row(
        "a view to bytes : cattrs.preconf.json, µs",
        of("codec", "product"),
        of("codec", "cattrs"),
        "≤ 0.15, 0.1",
    ),
)


def spread(values: Sequence[float]) -> str:
    """Return the median, the least and the most."""
    middle = statistics.median(values)
    digits = 0 if middle >= 100 else 2
    return f"{middle:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def rows(rounds: Sequence[Json]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| quantity : yardstick | here | yardstick | ratio | must, aim |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        here = [row.here(found) for found in rounds]
        there = [row.there(found) for found in rounds]
        ratios = [a / b for a, b in zip(here, there, strict=True)]
        cells = (row.what, spread(here), spread(there), spread(ratios), row.asked)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def shares(rounds: Sequence[Json]) -> list[str]:
    """Return how much of a core the server and the load had, where the server was saturated."""
    lines = ["| saturated | server's CPU | load's CPU | bytes an update |", "|---|---|---|---|"]
    for run in ("off few", "on few", "bare few", "off many", "on many", "bare many"):
        keys = ("server_cpu", "load_cpu", "bytes_per_update")
        cells = [spread([of(run, "saturated", key)(found) for found in rounds]) for key in keys]
        lines.append(f"| {' | '.join((run, *cells))} |")
    return lines


# --- where the time goes ---------------------------------------------------------------------------


def profile(folder: Path, sizes: Sizes) -> list[str]:
    """Return the top lines of a profile by py-spy of the saturated server, without a journal."""
    stacks = folder / "stacks.txt"
    with open_product(folder, journal=False) as served:
        command = ("py-spy", "record", "--pid", str(served.pid), "--format", "raw")
        spy = (*command, "--output", str(stacks), "--duration", str(int(PROFILE_S)))
        busy = threading.Thread(
            target=load, args=(served,), kwargs={"rooms": sizes.few, "saturate": 2 * PROFILE_S}
        )
        busy.start()
        time.sleep(PROFILE_S)  # until all rooms play
        subprocess.run(spy, check=True, capture_output=True)
        busy.join()
    own: Counter[str] = Counter()
    below: Counter[str] = Counter()
    for line in stacks.read_text("utf-8").splitlines():
        stack, times = line.rsplit(" ", 1)
        names = [frame.rsplit(":", 1)[0] for frame in stack.split(";")]
        own[names[-1]] += int(times)
        below.update(dict.fromkeys(names, int(times)))
    total = own.total()
    lines = ["own time:"]
    lines += [f"  {n / total:6.1%}  {name}" for name, n in own.most_common(20)]
    lines += ["with what it calls:"]
    shared = (n for n in below.most_common(60) if n[1] < 0.97 * total)  # not by all
    lines += [f"  {n / total:6.1%}  {name}" for name, n in shared]
    return lines


def versions() -> Json:
    """Return what was measured with."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in LIBRARIES},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--few", type=int, default=50, help="rooms")
    parser.add_argument("--many", type=int, default=500, help="rooms")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()), help="a folder")
    parser.add_argument("--out", type=Path, help="a file for all figures, as JSON")
    parser.add_argument("--recover", type=int, default=1000, help="unfinished rooms; 0: none")
    parser.add_argument("--profile", action="store_true", help="only profile; needs py-spy")
    args = parser.parse_args(arguments)
    sizes = Sizes(few=args.few, many=args.many, seconds=args.seconds)
    with tempfile.TemporaryDirectory(dir=args.data) as name:
        folder = Path(name)
        if args.profile:
            print(*profile(folder, sizes), sep="\n")
            return
        found: Json = {"versions": versions(), "rounds": []}
        print(json.dumps(found["versions"]))
        for number in range(args.rounds):
            found["rounds"].append(measure_round(folder, sizes))
            print(f"round {number + 1} of {args.rounds}", flush=True)
    if args.recover:
        seconds, steps = recoveries.run(args.recover, RECOVERED_STEPS)
        found["recovery"] = {"rooms": args.recover, "steps": steps, "seconds": round(seconds, 2)}
        print(f"{args.recover} rooms of {steps} steps in all rebuilt in {seconds:.2f} s")
    if args.out is not None:
        args.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(f"few: {sizes.few} rooms of 4, many: {sizes.many}; median (least to most)\n")
    print(*rows(found["rounds"]), "", *shares(found["rounds"]), sep="\n")


if __name__ == "__main__":
    main()
