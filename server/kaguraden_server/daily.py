"""The challenge of a day (rules/docs/enbu.md, EN-87, EN-88, EN-89, EN-128).

The day is the date in Japan. Whoever plays a book of the day gets the same deal, which follows from
the date, the book and a secret key of this server; so nothing of it is told before the day is over,
half an hour after its midnight. Of the ranked book of the day each user's first attempt counts, or
each address's where the operator wants it so; every other attempt is practice.

With a data folder the key is `DIR/daily.key`, the standings are `DIR/daily/YYYY-MM-DD.json`, and the
records of the day's games wait in `DIR/daily/YYYY-MM-DD/` until they may be told. Without one all
this lasts as long as the server.

The time is asked of `wall`, seconds since 1970; nobody else here has a clock.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio
from attrs import define, evolve, field, frozen
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import ErrorCode, RefusedError
from kaguraden_protocol.limits import MAX_NODES
from kaguraden_rules.enbu.daily import book_of_the_day
from kaguraden_rules.kernel import Act, BadOptions, Expire, Game, Input, Outcome
from kaguraden_rules.plain import to_plain

from .fairness import Deal
from .logs import Log
from .neighbours import counted
from .refusals import bad_field
from .replays import keep_newest
from .streams import count_nodes, dump

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

    from .config import DailySettings
    from .users import User

__all__ = ["GAME", "Attempt", "Daily", "Standing", "choices_text"]

GAME: Final = "enbu"
DAILY: Final = "daily:"  # before the id of a book, as a room's option
USER: Final = "user "
TODAY: Final = "today"  # as a book: the ranked one of the day
JAPAN: Final = timezone(timedelta(hours=9))
GRACE: Final = timedelta(minutes=30)  # after midnight, for attempts that have begun (EN-89)
KEY_BYTES: Final = 32
VEIL_DIGITS: Final = 32
KEY_FILE: Final = "daily.key"
FOLDER: Final = "daily"
FORMAT: Final = 1
UNFINISHED: Final = ".tmp"
BROKEN: Final = ".broken"
DAYS_IN_USE: Final = 3  # today, yesterday until it is closed, and one to spare
MAX_SHOWN: Final = 100  # standings in one reply; the best come first
NODES_TO_SPARE: Final = 64
BYTES_TO_SPARE: Final = 1_024

AnyGame = Game[Any, Any]


@frozen
class Standing:
    """A ranked attempt that has ended. `choices` are those made, as one text."""

    name: str
    total: int
    dropped: int
    turns: int
    choices: str

    @property
    def key(self) -> tuple[int, int, int]:
        """Return what is compared, the least is best (EN-67)."""
        return -self.total, self.dropped, self.turns


@frozen
class Attempt:
    """A ranked attempt in play. `marks` are what stands for it among those that began."""

    day: str
    name: str
    marks: tuple[str, ...] = ()


@define(eq=False)
class Day:
    """What is known of a day's ranked book. `seed` is None until somebody begins."""

    date: str
    book: str
    seed: str | None = None
    started: set[str] = field(factory=set)  # by whom
    ended: set[str] = field(factory=set)  # by whom of these
    standings: list[Standing] = field(factory=list)

    def to_plain(self) -> dict[str, Json]:
        """Return the day as it is kept."""
        return {
            "format": FORMAT,
            "date": self.date,
            "book": self.book,
            "seed": self.seed,
            "started": list[Any](sorted(self.started)),
            "ended": list[Any](sorted(self.ended)),
            "standings": [
                {
                    "name": s.name,
                    "total": s.total,
                    "dropped": s.dropped,
                    "turns": s.turns,
                    "choices": s.choices,
                }
                for s in self.standings
            ],
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Day:  # noqa: ANN401 - whatever was in a file
        """Return a day that was kept.

        Raises:
            ValueError: This is none.
        """
        try:
            if plain["format"] != FORMAT:
                raise ValueError(f"format {plain['format']!r}")
            return cls(
                str(plain["date"]),
                str(plain["book"]),
                None if plain["seed"] is None else str(plain["seed"]),
                {str(who) for who in plain["started"]},
                {str(who) for who in plain.get("ended", ())},
                [
                    Standing(
                        str(s["name"]),
                        int(s["total"]),
                        int(s["dropped"]),
                        int(s["turns"]),
                        str(s["choices"]),
                    )
                    for s in plain["standings"]
                ],
            )
        except (LookupError, TypeError) as error:
            raise ValueError(f"not the standings of a day: {error!r}") from None


class Daily:
    """The days of one server.

    Args:
        settings: What the operator set.
        key: The secret of the days, 32 bytes.
        folder: Where standings and waiting records are kept; None keeps the standings in memory.
        wall: Tells the time, in seconds since 1970.
        log: Where it tells of files that it cannot use.
    """

    def __init__(
        self,
        settings: DailySettings,
        *,
        key: bytes | None = None,
        folder: Path | None = None,
        wall: Callable[[], float] = time.time,
        log: Log | None = None,
    ) -> None:
        self.settings = settings
        self.folder = folder
        self._key = secrets.token_bytes(KEY_BYTES) if key is None else key
        self._wall = wall
        self._log = log or Log()
        self._days: dict[str, Day] = {}  # those in use
        self._writing = trio.Lock()

    @classmethod
    def within(
        cls,
        data: Path,
        settings: DailySettings,
        wall: Callable[[], float] = time.time,
        log: Log | None = None,
    ) -> Daily:
        """Return the days kept in a data folder, which is made if it is not there.

        Raises:
            OSError: It cannot be made or read, or the key there is none.
        """
        folder = data / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob(f"*{UNFINISHED}"):
            unfinished.unlink(missing_ok=True)
        return cls(settings, key=_read_key(data / KEY_FILE), folder=folder, wall=wall, log=log)

    # --- the time ------------------------------------------------------------------------------

    def today(self) -> str:
        """Return the date in Japan, YYYY-MM-DD (EN-87)."""
        return datetime.fromtimestamp(self._wall(), UTC).astimezone(JAPAN).date().isoformat()

    def left_s(self, day: str) -> float:
        """Return how long it is until a day is closed; 0 or less when it is."""
        start = datetime.combine(date.fromisoformat(day), datetime.min.time(), JAPAN)
        return (start + timedelta(days=1) + GRACE).timestamp() - self._wall()

    def is_closed(self, day: str) -> bool:
        """Tell whether what was secret of a day may be told."""
        return self.left_s(day) <= 0

    # --- rooms -----------------------------------------------------------------------------------

    def deal(self, game: AnyGame, options: Any) -> Deal:  # noqa: ANN401 - the game's own
        """Return the deal of a new room: today's if its options ask for it, else a fresh one."""
        today = self.today()
        value = game.day_entropy(options, self._key, today)
        return Deal() if value is None else Deal(value, today)

    def is_same(self, deal: Deal, game: AnyGame, options: Any) -> bool:  # noqa: ANN401
        """Tell whether other options leave a room the deal that it has."""
        day = self.today() if deal.day is None else deal.day
        value = game.day_entropy(options, self._key, day)
        return value is None if deal.day is None else value == deal.seed

    async def begin(
        self,
        deal: Deal,
        game: AnyGame,
        options: Any,  # noqa: ANN401 - the game's own
        user: User,
        name: str,
        address: str,
    ) -> Attempt | None:
        """Note that an attempt begins; return it if it is ranked, None if it is practice.

        Programs that say that they are bots only practise, and so do users who ever said so: what
        they learned of the deal is the same (EN-152).
        """
        if deal.day is None or user.bot or user.was_bot:
            return None
        book = str(game.format_options(options)["book"]).removeprefix(DAILY)
        if book != book_of_the_day(deal.day):
            return None
        day = await self._day(deal.day)
        if sum(who.startswith(USER) for who in day.started) >= self.settings.entries:
            return None
        mine = {f"{USER}{user.id}"}
        if self.settings.by_address:
            mine.add(f"address {self._veil(deal.day, counted(address))}")
        if mine & day.started:
            # Where only the address is known, the user has still begun: no later attempt, from
            # another address, is its first.
            day.started.add(f"{USER}{user.id}")
            return None
        day.seed = deal.seed.hex()
        day.started |= mine
        return Attempt(deal.day, name, tuple(sorted(mine)))

    def give_back(self, attempt: Attempt) -> None:
        """Note that a ranked attempt did not begin."""
        day = self._days.get(attempt.day)
        if day is not None:
            day.started -= set(attempt.marks)

    async def again(self, attempt: Attempt, deal: Deal) -> None:
        """Note that a ranked attempt began with another process, which may not have come to it."""
        day = await self._day(attempt.day)
        day.seed = deal.seed.hex()
        day.started |= set(attempt.marks)

    async def finish(self, attempt: Attempt, outcome: Outcome, inputs: list[Input]) -> None:
        """Enter a ranked attempt into the standings, if it is not there."""
        plain: Any = to_plain(outcome)
        (entry,) = plain["ranking"]
        standing = Standing(
            attempt.name, entry["score"], entry["dropped"], entry["turns"], choices_text(inputs)
        )
        day = await self._day(attempt.day)
        if day.ended.issuperset(attempt.marks) and attempt.marks:
            return
        day.ended |= set(attempt.marks)
        day.standings.append(standing)
        day.standings.sort(key=lambda s: s.key)
        for n, unseen in enumerate(day.standings[MAX_SHOWN:], MAX_SHOWN):
            day.standings[n] = evolve(unseen, choices="")  # nobody is ever told them

    def _veil(self, day: str, address: str) -> str:
        """Return what stands for an address in a file, so that it cannot be read back from there."""
        text = f"daily address|{day}|{address}"
        return hmac.digest(self._key, text.encode(), "sha256").hex()[:VEIL_DIGITS]

    # --- standings -------------------------------------------------------------------------------

    async def standings(self, game: AnyGame, request: m.Daily, frame_bytes: int) -> m.DailyResult:
        """Answer what a day's standings are (EN-128, EN-155).

        Raises:
            RefusedError: There is no such book or day, or the day is yet to come.
        """
        today = self.today()
        on = today if request.date is None else request.date
        try:
            ranked = book_of_the_day(on)
        except ValueError:
            raise _wrong("$.date", "no such day") from None
        if on > today:
            raise _wrong("$.date", f"this day is yet to come; in Japan it is {today}")
        book = ranked if request.book == TODAY else request.book.removeprefix(DAILY)
        value = self._value_of(game, book, on)
        closed = self.is_closed(on)
        day = await self._day(on) if book == ranked else Day(on, book)
        seed = (day.seed or value.hex()) if closed else None
        shown = tuple(_shown(day.standings, closed=closed, frame_bytes=frame_bytes))
        return m.DailyResult(date=on, book=book, closed=closed, standings=shown, seed=seed)

    def _value_of(self, game: AnyGame, book: str, on: str) -> bytes:
        wrong = _wrong("$.book", "no book of this id, nor today")
        try:
            options = game.parse_options({"book": f"{DAILY}{book}"})
        except BadOptions:
            raise wrong from None
        value = game.day_entropy(options, self._key, on)
        if value is None:
            raise wrong
        return value

    # --- keeping ---------------------------------------------------------------------------------

    async def _day(self, on: str) -> Day:
        day = self._days.get(on)
        if day is not None:
            return day
        read = await self._read(on)
        day = self._days.get(on)  # it may be there by now
        if day is not None:
            return day
        day = read or Day(on, book_of_the_day(on))
        if not self.is_closed(on):
            self._days[on] = day
            most = self.settings.days if self.folder is None else DAYS_IN_USE
            for old in sorted(self._days)[:-most]:
                del self._days[old]
        return day

    async def _read(self, on: str) -> Day | None:
        if self.folder is None:
            return None
        file = self.folder / f"{on}.json"
        try:
            return await trio.to_thread.run_sync(_read_day, file)
        except ValueError as error:
            self._log.error("daily_not_read", file=str(file), why=str(error))
        # What it holds cannot be used, and is not to be written over.
        await trio.to_thread.run_sync(file.replace, file.with_suffix(BROKEN))
        return None

    async def save(self, on: str) -> None:
        """Write a day's standings; the oldest days beyond those to keep are deleted.

        Raises:
            OSError: They cannot be written.
        """
        if self.folder is None:
            return
        async with self._writing:
            plain = (await self._day(on)).to_plain()
            write = partial(_write, self.folder / f"{on}.json", plain)
            await trio.to_thread.run_sync(write)
            await trio.to_thread.run_sync(self._forget)

    def _forget(self) -> None:
        if self.folder is not None:
            keep_newest(self.folder, self.settings.days)

    def holds(self, on: str, room: str) -> bool:
        """Tell whether the record of a room's game is kept until its day is closed."""
        return self.folder is not None and any((self.folder / on).glob(f"*-{room}.json"))

    async def hold(self, on: str, name: str, record: Mapping[str, Json], keep: int) -> None:
        """Keep the record of a game until its day is closed (EN-157); `keep` of the newest stay.

        Raises:
            OSError: It cannot be written.
        """
        if self.folder is not None:
            await trio.to_thread.run_sync(self._hold, self.folder / on / name, record, keep)

    def _hold(self, file: Path, record: Mapping[str, Json], keep: int) -> None:
        _write(file, record)
        keep_newest(file.parent, keep)

    async def release(self, into: Path) -> None:
        """Move the records of all closed days into the folder of records.

        Raises:
            OSError: They cannot be moved.
        """
        if self.folder is not None:
            await trio.to_thread.run_sync(self._release, into)

    def _release(self, into: Path) -> None:
        if self.folder is None:
            return
        for folder in sorted(path for path in self.folder.iterdir() if path.is_dir()):
            if not _is_day(folder.name) or not self.is_closed(folder.name):
                continue
            for record in sorted(folder.glob("*.json")):
                record.replace(into / record.name)
            for rest in folder.glob(f"*{UNFINISHED}"):
                rest.unlink(missing_ok=True)
            with suppress(OSError):  # another record came just now; it is moved the next time
                folder.rmdir()


def _wrong(path: str, problem: str) -> RefusedError:
    return bad_field(path, problem, ErrorCode.BAD_OPTIONS)


def choices_text(inputs: list[Input]) -> str:
    """Return what was chosen, as one text: options, and `expire:WAIT` where a clock chose (EN-93)."""
    told: list[str] = []
    for entry in inputs:
        match entry:
            case Act(_, answer):
                told.append(answer.option)
            case Expire(wait):
                told.append(f"expire:{wait}")
    return " ".join(told)


def _shown(
    standings: list[Standing], *, closed: bool, frame_bytes: int
) -> Iterator[dict[str, Json]]:
    """Yield the standings that fit into one reply; equal ones share a rank (EN-67)."""
    nodes, size = NODES_TO_SPARE, BYTES_TO_SPARE
    rank, last = 0, None
    for place, standing in enumerate(standings[:MAX_SHOWN], 1):
        if standing.key != last:
            rank, last = place, standing.key
        entry: dict[str, Json] = {
            "rank": rank,
            "name": standing.name,
            "total": standing.total,
            "dropped": standing.dropped,
            "turns": standing.turns,
        }
        told = {**entry, "choices": standing.choices}
        if closed and size + len(dump(told)) < frame_bytes // 2:
            entry = told  # half of the room is for those whose choices are left out
        nodes += count_nodes(entry)
        size += len(dump(entry)) + 1
        if nodes > MAX_NODES or size > frame_bytes:
            return
        yield entry


def _is_day(name: str) -> bool:
    try:
        book_of_the_day(name)
    except ValueError:
        return False
    return True


def _read_key(file: Path) -> bytes:
    """Return the key of a file, which is made if it is not there."""
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        key = secrets.token_bytes(KEY_BYTES)
        _write_bytes(file, key)
    if len(key) != KEY_BYTES:
        raise OSError(f"{file} is no key: {len(key)} bytes, not {KEY_BYTES}")
    return key


def _read_day(file: Path) -> Day | None:
    """Return the day of a file, None if there is none.

    Raises:
        ValueError, OSError: It cannot be read.
    """
    try:
        return Day.from_plain(json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None


def _write(file: Path, plain: Mapping[str, Json]) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    _write_bytes(file, dump(plain))


def _write_bytes(file: Path, data: bytes) -> None:
    """Write a file whole or not at all; only the server's own user may read it."""
    unfinished = file.with_name(file.name + UNFINISHED)
    unfinished.unlink(missing_ok=True)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)
