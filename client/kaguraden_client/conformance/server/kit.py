"""What clauses about a server work with: guests, tables, and one recorded game of each kind.

The kit knows no game. It takes from each decision the option that its own chance picks, so that a
server that lists what it does not accept is found out, and it keeps everything that everybody was
told, step by step, for the clauses that look at a whole game.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import trio
from attrs import define, field, frozen
from kaguraden_protocol.limits import MAX_SEATS

from ..clause import Failed, Skipped
from ..texts import Json
from .guest import Allowance, Flooded, Guest, Place, Silent
from .line import Door

__all__ = ["Kit", "Party", "Record", "Step", "fitting", "unknown_value"]

MOVES: Final = 60  # that a clause plays to get to the position it needs
KNOWN_VALUES: Final = ("int", "cards", "order")
MAX_GAMES: Final = 32  # that are played
IDLE_SECONDS: Final = 0.1
RACES: Final = ("stale", "not_your_decision")
NO_ANSWER: Final = (
    "最初の hello に返事がないので、ここで終わります",
    "the first hello was not answered, so the run ends here",
)


def unknown_value(option: Json) -> bool:
    """Whether an option takes a value of a type that version 1.0 has not."""
    return "value" in option and option["value"].get("type") not in KNOWN_VALUES


def fitting(option: Json, rng: random.Random) -> object:
    """Return a value that an option takes, None if it takes none."""
    spec = option.get("value")
    match spec:
        case None:
            return None
        case {"type": "int"}:
            return rng.randint(spec["min"], spec["max"])
        case {"type": "cards"}:
            return rng.sample(spec["from"], rng.randint(spec["min"], spec["max"]))
        case _:
            return rng.sample(spec["of"], len(spec["of"]))


@frozen
class Step:
    """One answer of a recorded game.

    `before` and `after` are the actor's views, `told` what each viewer got from it, the actor's own
    before its reply in `own`. `seqs` are the actor's number before and at the reply. `open` has, for
    each seat, the decisions that it had before and has still.
    """

    seat: int
    decision: Json
    option: Json
    value: object
    reply: Json
    own: list[Json]
    told: list[list[Json]]
    before: Json
    after: Json
    seqs: tuple[int, int]
    open: list[list[str]]


@define(eq=False)
class Record:
    """A game as everybody saw it. `guests` are the seats' and, the last, a spectator."""

    game: str
    room: str
    guests: list[Guest]
    nonces: list[str]
    info: Json  # before any nonce was sent
    steps: list[Step] = field(factory=list)
    full: list[Json] = field(factory=list)  # an update for each guest, by `sync` at the end
    folded: list[Json] = field(factory=list)  # the view of each guest before that
    synced: list[tuple[int, list[Json], Json]] = field(factory=list)  # since, updates, reply
    patched: int | None = None  # the guest with the capability `patch`
    replay: Json = field(factory=dict)
    early: list[Json] = field(factory=list)  # replies to `replay` and `rematch` before the end
    rematch: Json = field(factory=dict)

    @property
    def places(self) -> list[Place]:
        """What each guest knows, the spectator's last."""
        return [guest.place(self.room) for guest in self.guests]

    @property
    def is_over(self) -> bool:
        """Whether the game came to its end in the time there was."""
        return all(place.is_over for place in self.places)

    @property
    def is_stuck(self) -> bool:
        """Whether the last answer was refused, for another reason than a lost race."""
        last = self.steps[-1].reply if self.steps else {}
        return last.get("type") == "error" and last.get("code") not in RACES

    @property
    def updates(self) -> list[tuple[int, Json]]:
        """All updates, with the number of the guest that got each."""
        return [(n, u) for n, place in enumerate(self.places) for u in place.updates]


@define(eq=False)
class Party:
    """A room and who sits there, in the order of the seats."""

    room: str
    guests: list[Guest]
    rng: random.Random

    def place(self, seat: int) -> Place:
        """Return what the guest in a seat knows."""
        return self.guests[seat].place(self.room)

    @property
    def places(self) -> list[Place]:
        """What the guests know."""
        return [guest.place(self.room) for guest in self.guests]

    async def flush(self) -> None:
        """Read what everybody was told by now."""
        for guest in self.guests:
            await guest.flush()

    async def until(self, test: Callable[[], Any], ja: str, en: str, moves: int = MOVES) -> None:
        """Play until a test is true.

        Raises:
            Skipped: It was not, in so many moves or to the end of the game.
        """
        for _ in range(moves):
            await self.flush()
            if test():
                return
            if any(place.is_over for place in self.places):
                break
            await self.move()
        raise Skipped(ja, en)

    async def move(self) -> bool:
        """Answer one open decision, or wait a little if there is none."""
        for guest, place in zip(self.guests, self.places, strict=True):
            decision = place.due()
            if decision is not None:
                option = self.pick(decision)
                reply = await guest.act(place, decision, option, fitting(option, self.rng))
                if reply.get("type") != "ok":
                    guest.check_error(reply, RACES)
                return True
        await trio.sleep(IDLE_SECONDS)
        return False

    def pick(self, decision: Json) -> Json:
        """Return an option of a decision that the kit can take."""
        options = [option for option in decision["options"] if not unknown_value(option)]
        if not options:
            raise Failed("an option without a value of an unknown type", decision)
        return self.rng.choice(options)

    def deciding(self) -> tuple[Guest, Place, Json] | None:
        """Return somebody with an open decision."""
        for guest, place in zip(self.guests, self.places, strict=True):
            decision = place.due()
            if decision is not None:
                return guest, place, decision
        return None


@define(eq=False)
class Kit:
    """What a clause gets.

    Args:
        door: The way to the server.
        password: The server's.
        game_seconds: The most that one recorded game may take.
        only_game: Play no other.
        on_progress: Told what takes long.

    `scope` is that of the clause that is tried, `allowance` what it may keep. `trouble` says, in
    Japanese and English, why no clause can be tried any more.
    """

    door: Door
    password: str | None = None
    game_seconds: float = 60.0
    only_game: str | None = None
    on_progress: Callable[[str], None] = lambda _text: None
    scope: trio.CancelScope | None = field(default=None, init=False)
    allowance: Allowance = field(factory=Allowance, init=False)
    trouble: tuple[str, str] | None = field(default=None, init=False)
    _is_met: bool = field(default=False, init=False)  # the server has answered a hello
    _names: int = field(default=0, init=False)
    _games: list[Json] | None = field(default=None, init=False)
    _records: list[Record] | None = field(default=None, init=False)
    _unplayed: Exception | None = field(default=None, init=False)

    # --- guests ----------------------------------------------------------------------------------

    @asynccontextmanager
    async def stranger(self, name: str | None = None) -> AsyncIterator[Guest]:
        """Connect, and say nothing yet."""
        self._names += 1
        async with self.door.dial() as line:
            yield Guest(line, name or f"Kit {self._names}", self.allowance)

    @asynccontextmanager
    async def guest(self, name: str | None = None, **fields: Any) -> AsyncIterator[Guest]:
        """Connect and say hello."""
        async with self.stranger(name) as guest:
            try:
                await guest.open(**self.with_password(fields))
            except Silent:
                if not self._is_met:
                    self.trouble = NO_ANSWER
                raise
            self._is_met = True
            yield guest

    def with_password(self, fields: Json) -> Json:
        """Return the fields of a hello with the password of the server, if it has one."""
        return fields if self.password is None else {"password": self.password, **fields}

    async def reopen(self, guest: Guest, **fields: Any) -> Guest:
        """Say hello on a fresh connection for another guest's user, with its token."""
        token = fields.pop("resume")
        return await guest.open(**self.with_password({"resume": token, **fields}))

    # --- games -----------------------------------------------------------------------------------

    async def games(self) -> list[Json]:
        """Return the games that the server offers, those with the fewest seats for two first.

        Raises:
            Failed: One has seats for nobody, or for more than the protocol allows.
            Skipped: There is none.
        """
        if self._games is None:
            async with self.guest() as guest:
                offered = guest.hello.get("games")
            if not isinstance(offered, list) or not offered:
                raise Skipped("対局できるゲームがありません", "the server offers no game")
            self._games = sorted(offered, key=lambda game: abs(_seats_of(game) - 2))
        chosen = [g for g in self._games if self.only_game in (None, g["id"])]
        for seats in (game["seats"] for game in chosen):
            if not 1 <= seats["min"] <= seats["max"] <= MAX_SEATS:  # clauses fill them all
                raise Failed(f"1 to {MAX_SEATS} seats", seats)
        if not chosen:
            raise Skipped("そのゲームはありません", "the server does not offer that game")
        return chosen

    async def first_game(self) -> Json:
        """Return the game that most clauses use: one for two, if there is any."""
        return (await self.games())[0]

    @asynccontextmanager
    async def table(
        self, *, start: bool = True, game: Json | None = None, **create: Any
    ) -> AsyncIterator[Party]:
        """Seat as many guests as a game needs, at least two if it may be; the first is host."""
        async with AsyncExitStack() as stack:
            game = game or await self.first_game()
            guests = [await stack.enter_async_context(self.guest()) for _ in range(_seats_of(game))]
            fields: Json = {"listed": False, "seats": len(guests), **create}
            fields["options"] = {**_quick(game), **fields.get("options", {})}
            made = await guests[0].ask("create", game=game["id"], **fields)
            room = made["room"]
            guests[0].place(room).seat = made["seat"]
            for guest in guests[1:]:
                guest.place(room).seat = (await guest.ask("join", room=room))["seat"]
            table = Party(room, guests, random.Random(game["id"]))  # noqa: S311
            try:
                if start:
                    await begin(table)
                yield table
            finally:
                with trio.move_on_after(1, shield=True):
                    await _leave(table)

    # --- recorded games --------------------------------------------------------------------------

    async def records(self) -> Sequence[Record]:
        """Return a record of every game, played once for all clauses.

        Raises:
            Skipped: A game could not be played; the clause about that says why.
        """
        if self._records is None and self._unplayed is None:
            try:
                self._records = await self._play_all()
            except (Failed, Skipped) as error:
                if self.trouble is not None or isinstance(error, Flooded):
                    raise
                self._unplayed = error
        if self._records is None:
            raise Skipped(
                "対局を最後まで進められませんでした", "a game could not be played"
            ) from self._unplayed
        return self._records

    async def ended(self) -> Sequence[Record]:
        """Return the records of the games that are over. Raises as `records`, and if none is."""
        ended = [record for record in await self.records() if record.is_over]
        if not ended:
            raise Skipped("終局まで進みませんでした", "no game came to its end in time")
        return ended

    async def _play_all(self) -> list[Record]:
        """Play every game. The time is not that of the clause which happens to be the first."""
        games, scope = await self.games(), self.scope
        if len(games) > MAX_GAMES:
            raise Skipped(
                "ゲームが多すぎます。--game で選んでください",
                "there are too many games: choose one with --game",
            )
        left = scope.deadline - trio.current_time() if scope else 0
        if scope:
            scope.deadline += len(games) * 2 * self.game_seconds
        records = [await self._record(game) for game in games]
        if scope:
            scope.deadline = trio.current_time() + left
        return records

    async def _record(self, game: Json) -> Record:
        self.on_progress(f"{game['id']} …")
        async with AsyncExitStack() as stack:
            count = _seats_of(game)
            guests: list[Guest] = []
            for n in range(count + 1):
                able: Json = {"capabilities": ["patch"]} if n == count - 1 else {}
                guests.append(await stack.enter_async_context(self.guest(**able)))
            host, watcher = guests[0], guests[-1]
            made = await host.ask(
                "create", game=game["id"], seats=count, listed=False, options=_quick(game)
            )
            room = made["room"]
            host.place(room).seat = 0
            for guest in guests[1:-1]:
                guest.place(room).seat = (await guest.ask("join", room=room))["seat"]
            await watcher.ask("join", room=room, **{"as": "spectator"})
            await host.flush()
            rng = random.Random(game["id"])  # noqa: S311 - a way to play
            nonces = [rng.randbytes(16).hex() for _ in range(count - 1)] + [""]
            record = Record(game["id"], room, guests, nonces, dict(host.place(room).info))
            if "patch" in guests[count - 1].hello["capabilities"]:
                record.patched = count - 1
            table = Party(room, guests[:-1], rng)
            await begin(table, nonces)
            await watcher.flush()
            record.early = [await host.answer(kind, room=room) for kind in ("replay", "rematch")]
            with trio.move_on_after(self.game_seconds):
                while not record.is_over and not record.is_stuck:
                    await _step(record, table)
            await _look_back(record, table)
            return record


def _seats_of(game: Json) -> int:
    """Return how many seats the kit takes: two if the game can be played by two."""
    least, most = game["seats"]["min"], game["seats"]["max"]
    return int(min(max(least, 2), most))


def _quick(game: Json) -> Json:
    """Return options for a game without waiting: windows as short as may be (section 8)."""
    properties = game.get("options", {}).get("properties", {})
    spec = properties.get("window_min_ms")
    return {"window_min_ms": spec["minimum"]} if spec and "minimum" in spec else {}


async def begin(table: Party, nonces: Sequence[str] = ()) -> None:
    """Get everybody ready and start the game."""
    for n, guest in enumerate(table.guests):
        nonce = nonces[n] if n < len(nonces) else ""
        fields = {"nonce": nonce} if nonce else {}
        await guest.ask("ready", room=table.room, ready=True, **fields)
    await table.guests[0].ask("start", room=table.room)
    for guest in table.guests:
        with trio.move_on_after(5):
            while not guest.place(table.room).updates:
                await guest.read("the first update")


async def _step(record: Record, table: Party) -> None:
    """Answer one decision, and note what everybody was told because of it."""
    for guest in record.guests:
        await guest.flush()
    found = table.deciding()
    if found is None:
        await trio.sleep(IDLE_SECONDS)
        return
    guest, place, decision = found
    option = table.pick(decision)
    value = fitting(option, table.rng)
    before = [len(p.updates) for p in record.places]
    mine = record.guests.index(guest)
    view, seq = place.view, place.seq
    asked = [[d["id"] for d in p.decisions] for p in table.places]
    reply = await guest.act(place, decision, option, value)
    own, now = place.updates[before[mine] :], place.seq
    if reply.get("type") == "ok" and decision["sealed"]:
        await trio.sleep(IDLE_SECONDS)  # what must not come would have come
    for other in record.guests:
        await other.flush()
    told = [p.updates[n:] for n, p in zip(before, record.places, strict=True)]
    still = [
        [d["id"] for d in p.decisions if d["id"] in ids]
        for ids, p in zip(asked, table.places, strict=True)
    ]
    seat, seqs = place.seat or 0, (seq, now)
    record.steps.append(
        Step(seat, decision, option, value, reply, own, told, view, place.view, seqs, still)
    )


async def _look_back(record: Record, table: Party) -> None:
    """Ask for what can be asked for when a game is over."""
    for n, guest in enumerate(record.guests):
        place = guest.place(record.room)
        record.folded.append(place.view)
        known = len(place.updates)
        await guest.ask("sync", room=record.room)
        record.full.append(place.updates[-1] if len(place.updates) > known else {})
        # Patches from then would not fit the view of now.
        for since in () if n == record.patched else _far_back(guest, place.seq):
            here = len(place.updates)
            reply = await guest.answer("sync", room=record.room, seq=since)
            record.synced.append((since, place.updates[here:], reply))
        del place.updates[known:], place.views[known:]
    host = record.guests[0]
    if record.is_over:
        record.replay = await host.answer("replay", room=record.room)
        record.rematch = await host.answer("rematch", room=record.room)
        if record.rematch.get("type") == "ok":
            for guest in record.guests:
                await guest.flush()
                await guest.answer("leave", room=record.rematch["result"].get("room"))
    await _leave(table)


def _far_back(guest: Guest, last: int) -> list[int]:
    """Return numbers to sync from: the oldest that must do, and one that need not."""
    kept = guest.limit("resume_updates", 64)
    return [last - kept, last - kept - 1] if last > kept + 1 else []


async def _leave(table: Party) -> None:
    for guest in table.guests:
        try:
            await guest.answer("leave", room=table.room)
        except Failed:
            continue
