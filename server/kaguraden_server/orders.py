"""What each request does to a room. Called by the room's own task, one at a time."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import trio
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import ErrorCode, NoticeCode, RefusedError
from kaguraden_protocol.text import clean_chat, distinct_name
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    BadOptions,
    CardId,
    NotYourDecision,
    Problem,
    RuleError,
    SeatId,
)

from .bots import bot_name
from .clocks import DAY_MS, Clocks
from .keeping import keep_begun
from .logs import Name
from .neighbours import counted
from .refusals import bad_field, refusal
from .seats import Member, Seat
from .table import Table

if TYPE_CHECKING:
    from .room import Asked, Room
    from .users import User

__all__ = ["carry_out", "throw_out"]

OWN_ROOM: Final = "a day's challenge is a room of its own; open one"
DAY_OVER: Final = "the day {day} is over; open a new room for today's challenge"


async def carry_out(room: Room, asked: Asked) -> m.Result | None:
    """Do what is asked; return its result, None for an empty one.

    Raises:
        RefusedError, RuleError: It is refused and changed nothing.
    """
    order = ORDERS.get(type(asked.request))
    if order is None:
        raise RefusedError(ErrorCode.UNSUPPORTED, {"request": asked.request.type})
    if not isinstance(asked.request, m.Join):
        _member(room, asked)
    done = order(room, asked, asked.request)
    return await done if isinstance(done, Awaitable) else done


# --- who asks ------------------------------------------------------------------------------------


def _room(room: Room) -> dict[str, m.Json]:
    return {"room": room.code}


def _member(room: Room, asked: Asked) -> Member:
    member = room.members.get(asked.user.id)
    if member is None:
        raise RefusedError(ErrorCode.NOT_MEMBER, _room(room))
    return member


def _seat(room: Room, asked: Asked) -> Seat:
    seat = room.seat_of(asked.user)
    if seat is None:
        raise RefusedError(ErrorCode.NOT_SEATED, _room(room))
    return seat


def _as_host(room: Room, asked: Asked) -> None:
    if room.host != asked.user.id:
        raise RefusedError(ErrorCode.NOT_HOST, _room(room))


def _before_start(room: Room) -> None:
    if room.phase is m.Phase.PLAYING:
        raise RefusedError(ErrorCode.ROOM_STARTED, _room(room))
    if room.phase is m.Phase.OVER:
        raise RefusedError(ErrorCode.ROOM_OVER, _room(room))


def _numbered(room: Room, number: int) -> Seat:
    if number >= len(room.seats):
        raise bad_field("$.seat", f"expected 0 to {len(room.seats) - 1}")
    return room.seats[number]


# --- coming and going ----------------------------------------------------------------------------


def _join(room: Room, asked: Asked, join: m.Join) -> m.JoinResult:
    member = room.members.get(asked.user.id)
    seat = room.seat_of(asked.user)
    watch = join.as_ is m.Role.SPECTATOR
    if member is not None and not _moves(join, seat):
        return m.JoinResult(room=room.code, seat=None if seat is None else seat.number)
    wanted = None if watch else _free_seat(room, join.seat)
    if member is None:
        if watch:
            _check_spectators(room)
        room.lobby.check_membership_limit(asked.user)
    elif watch:
        _before_start(room)
        _check_spectators(room)
    if seat is not None:
        seat.vacate()
    if wanted is not None:
        wanted.owner = asked.user.id
    elif room.host == asked.user.id:
        room.host = None  # the host has a seat
        room.pass_on_host()
    if member is None:
        member = room.enter(asked.user)
        room.greet(member)
        room.tell_changes()
    as_what = "spectator" if wanted is None else wanted.number
    room.log.info("joined", user=asked.user.id, seat=as_what, name=Name(member.name))
    if room.table is not None:
        room.sync(member, None)
    return m.JoinResult(room=room.code, seat=None if wanted is None else wanted.number)


def _moves(join: m.Join, seat: Seat | None) -> bool:
    """Tell whether a member asks for another place than the one it has."""
    if join.as_ is None and join.seat is None:
        return False
    if join.as_ is m.Role.SPECTATOR:
        return seat is not None
    return seat is None or join.seat not in {None, seat.number}


def _free_seat(room: Room, number: int | None) -> Seat:
    _before_start(room)
    if number is not None:
        seat = _numbered(room, number)
        if not seat.is_empty:
            raise RefusedError(ErrorCode.SEAT_TAKEN, {**_room(room), "seat": number})
        return seat
    free = next((seat for seat in room.seats if seat.is_empty), None)
    if free is None:
        size = len(room.seats)
        raise RefusedError(ErrorCode.ROOM_FULL, {**_room(room), "taken": size, "seats": size})
    return free


def _check_spectators(room: Room) -> None:
    most = room.lobby.config.limits.spectators_per_room
    watching = sum(room.seat_of(member.user) is None for member in room.members.values())
    if watching >= most:
        details: dict[str, m.Json] = {"limit": most, "what": "spectators_per_room"}
        raise RefusedError(ErrorCode.LIMIT_REACHED, details)


async def _leave(room: Room, asked: Asked, _: m.Leave) -> None:
    member = _member(room, asked)
    await _give_up(room, _owned(room, asked.user))
    room.remove(member, None)


def _owned(room: Room, user: User) -> Seat | None:
    """Return the seat that a user holds, whoever plays it."""
    return next((seat for seat in room.seats if seat.owner == user.id), None)


async def _give_up(room: Room, seat: Seat | None) -> None:
    """Answer for a seat that its player gives up for good, as its decision says (EN-85).

    A bot that stands in for somebody stays, so nothing is given up with its owner.
    """
    table = room.table
    if seat is None or table is None or room.phase is not m.Phase.PLAYING:
        return
    if seat.owner is not None and seat.bot is not None and not seat.bot.has_ended:
        return
    decision = table.game.decisions(table.state).get(seat.number)
    if decision is None or decision.leaving is None:
        return
    now = trio.current_time()
    answer = Answer(decision.id, decision.leaving)
    try:
        await room.play(table.act(seat.number, answer, stamp=now, now=now))
    except RefusedError:
        raise
    except Exception as error:
        room.note_fault(error)  # nobody is kept in a room by its rules


async def _kick(room: Room, asked: Asked, kick: m.Kick) -> None:
    _as_host(room, asked)
    seat = None if kick.seat is None else _numbered(room, kick.seat)
    user = kick.user if seat is None else seat.owner
    if seat is None:
        seat = next((s for s in room.seats if s.bot is not None and s.bot.user.id == user), None)
    member = room.members.get(user or "")
    if member is not None and not member.inside:
        if member.user is asked.user:
            raise bad_field("$", "the host leaves with leave")
    elif seat is None or seat.bot is None:
        raise bad_field("$", "nobody is there")
    await throw_out(room, member, seat)


async def throw_out(room: Room, member: Member | None, seat: Seat | None) -> None:
    """Take a person out of a room, or else the bot out of a seat."""
    if member is not None and not member.inside:
        await _give_up(room, seat or _owned(room, member.user))
        room.remove(member, "kicked")
    elif seat is not None and seat.bot is not None:
        if seat.owner is None:
            await _give_up(room, seat)
        room.dismiss_bot(seat)


def _host(room: Room, asked: Asked, host: m.Host) -> None:
    _as_host(room, asked)
    seat = _numbered(room, host.seat)
    if seat.owner is None:
        raise bad_field("$.seat", "no member holds it")
    if seat.owner != room.host:
        room.host = seat.owner
        name = room.members[seat.owner].name
        room.notify_all(NoticeCode.HOST_CHANGED, {**_room(room), "name": name})


# --- before the game -----------------------------------------------------------------------------


def _configure(room: Room, asked: Asked, configure: m.Configure) -> None:
    _as_host(room, asked)
    _before_start(room)
    before = room.all_options()
    clocks, options = room.parse_options({**before, **configure.options}, room.clock_options)
    if not room.lobby.daily.is_same(room.deal, room.game, options):
        raise BadOptions([Problem("$.book", OWN_ROOM)])
    room.clock_options, room.options = clocks, options
    if room.all_options() == before:
        return
    for seat in room.seats:
        seat.ready = False  # what one was ready for is no longer so
        if seat.deck is not None:
            _check_deck_again(room, seat)


def _check_deck_again(room: Room, seat: Seat) -> None:
    """Drop a deck that the new options do not allow, and tell its owner."""
    try:
        seat.deck = room.game.check_deck(room.options, seat.deck)
    except BadDeck as error:
        seat.deck = None
        member = room.members.get(seat.owner or "")
        if member is not None and member.connection is not None:
            details = {**_room(room), **refusal(error).details}
            member.connection.notify(NoticeCode.DECK_DROPPED, details)


def _deck(room: Room, asked: Asked, deck: m.Deck) -> None:
    seat = _seat(room, asked)
    _before_start(room)
    cards = None if deck.cards is None else tuple(CardId(card) for card in deck.cards)
    checked = room.game.check_deck(room.options, cards)
    seat.deck = None if cards is None else checked


def _ready(room: Room, asked: Asked, ready: m.Ready) -> None:
    seat = _seat(room, asked)
    _before_start(room)
    seat.ready = ready.ready
    if ready.nonce is not None:
        seat.nonce = ready.nonce


def _bot(room: Room, asked: Asked, bot: m.Bot) -> m.BotResult:
    _as_host(room, asked)
    if room.phase is m.Phase.OVER:
        raise RefusedError(ErrorCode.ROOM_OVER, _room(room))
    seat = _seat_for_bot(room, bot.seat)
    names = [member.name for member in room.members.values()]
    room.put_bot(seat, bot.level, distinct_name(bot_name(seat.number), names), asked.user)
    return m.BotResult(seat=seat.number)


def _seat_for_bot(room: Room, number: int | None) -> Seat:
    if room.phase is m.Phase.LOBBY:
        return _free_seat(room, number)
    candidates = room.seats if number is None else [_numbered(room, number)]
    for seat in candidates:
        if seat.is_vacant or (seat.bot is None and seat.away_since is not None):
            room.dismiss_bot(seat)  # one that has ended
            return seat
    taken: dict[str, m.Json] = {} if number is None else {"seat": number}
    raise RefusedError(ErrorCode.SEAT_TAKEN, {**_room(room), **taken})


async def _start(room: Room, asked: Asked, _: m.Start) -> None:
    _as_host(room, asked)
    _before_start(room)
    if room.lobby.is_draining:
        raise RefusedError(ErrorCode.DRAINING)
    filled = [seat for seat in room.seats if not seat.is_empty]
    least, _most = room.game.seats
    if room.is_open_ended:
        _check_ready(room, filled if len(filled) >= least else room.seats[:least])
    else:
        _check_ready(room, room.seats)
    decks = tuple(room.game.check_deck(room.options, seat.deck) for seat in filled)
    daily, day = room.lobby.daily, room.deal.day
    if day is not None and day != daily.today():  # EN-151
        raise BadOptions([Problem("$.book", DAY_OVER.format(day=day))])
    table = Table(
        room=room.code,
        game=room.game,
        options=room.options,
        decks=decks,
        deal=room.deal,
        nonces=() if day is not None else tuple(seat.nonce for seat in filled),
        clocks=Clocks.start(
            room.clock_options,
            len(filled),
            DAY_MS if day is None else math.ceil(daily.left_s(day) * 1000),
        ),
        passes=lambda number, kind: room.passes(filled[number], kind),
        limits=room.lobby.config.limits,
        may_reveal=lambda: day is None or daily.is_closed(day),
    )
    played = table.begin(trio.current_time())
    await _begin_attempt(room, filled)
    try:
        await room.record(table, played, keep_begun(room, table, filled))
    except BaseException:
        room.give_back_attempt()
        raise
    room.lobby.save_day(room.attempt)
    # Until here nobody has seen anything of it; from here on nothing waits.
    for number, seat in enumerate(filled):
        seat.number = SeatId(number)
    room.seats = filled
    room.table = table
    room.phase = m.Phase.PLAYING
    room.log.info("game_started", seats=len(filled), rules=room.game.rules)
    for member in room.members.values():
        if member.connection is not None and member.connection.outbox.patch:
            room.stream_of(table, member).patches = True
    room.tell_changes()
    room.publish(table, played)


async def _begin_attempt(room: Room, seats: list[Seat]) -> None:
    """Have the first attempt of a day at its ranked book counted (EN-89, EN-153)."""
    member = room.members.get(seats[0].player or "")
    if room.deal.day is None or member is None:
        return
    connection = member.user.connection
    address = room.address if connection is None else connection.wire.address
    room.attempt = await room.lobby.daily.begin(
        room.deal, room.game, room.options, member.user, member.name, address
    )


def _check_ready(room: Room, seats: list[Seat]) -> None:
    empty: list[m.Json] = [seat.number for seat in seats if seat.is_empty]
    unready: list[m.Json] = [s.number for s in seats if not s.is_empty and not s.is_ready]
    if empty or unready:
        details: dict[str, m.Json] = {**_room(room), "empty": empty, "unready": unready}
        raise RefusedError(ErrorCode.NOT_READY, details)


# --- the game ------------------------------------------------------------------------------------


async def _act(room: Room, asked: Asked, act: m.Act) -> m.ActResult:
    seat = _seat(room, asked)
    table = room.table
    if table is None or seat.player != asked.user.id:
        raise NotYourDecision("nothing to decide")
    answer = Answer(act.decision, act.option, act.value)
    given = table.repeated(seat.number, answer)
    if given is not None:
        return m.ActResult(seq=given)
    try:
        played = table.act(seat.number, answer, stamp=asked.stamp, now=trio.current_time())
    except RuleError as error:
        decision = table.game.decisions(table.state).get(seat.number)
        raise refusal(error, decision, act.option) from None
    await room.play(played)
    return m.ActResult(seq=table.remember(seat.number, answer))


async def _auto(room: Room, asked: Asked, auto: m.Auto) -> None:
    seat = _seat(room, asked)
    kinds = [window.kind for window in room.game.windows]
    if auto.window not in kinds:
        expected = f"expected one of {', '.join(kinds)}" if kinds else "this game has no windows"
        raise bad_field("$.window", expected)
    if room.phase is m.Phase.OVER:
        raise RefusedError(ErrorCode.ROOM_OVER, _room(room))
    before = seat.passes
    seat.passes = {**before, auto.window: auto.mode is m.Mode.PASS}
    if room.table is None or auto.mode is m.Mode.ASK:
        return
    try:
        await room.play(room.table.stand(trio.current_time()))
    except Exception:
        seat.passes = before
        raise


async def _pause(room: Room, asked: Asked, pause: m.Pause) -> None:
    seat = _seat(room, asked)
    if room.phase is m.Phase.OVER:
        raise RefusedError(ErrorCode.ROOM_OVER, _room(room))
    table = room.table
    if table is None:
        raise RefusedError(ErrorCode.NOT_READY, _room(room))
    if seat.wants_pause == pause.on and (pause.on or table.clocks.stopped is None):
        return
    if table.clocks.stopped is not None and not pause.on:
        await room.end_pause(table)
        return
    seat.wants_pause = pause.on
    if table.clocks.stopped is None:
        wants = sum(other.wants_pause for other in room.seats)
        told: dict[str, m.Json] = {
            **_room(room),
            "seat": seat.number,
            "wants": wants,
            "needs": room.people_here(),
        }
        room.notify_all(NoticeCode.PAUSE, told)


async def _chat(room: Room, asked: Asked, chat: m.Chat) -> None:
    member = _member(room, asked)
    text = clean_chat(chat.text)
    if not text:
        raise bad_field("$.text", "nothing that can be shown")
    seat = room.seat_of(asked.user)
    table = room.table
    has_played = seat is not None or asked.user.id in room.left
    if has_played and table is not None and table.game.is_quiet(table.state):  # EN-156
        raise RefusedError(ErrorCode.ROOM_STARTED, {**_room(room), "quiet": True})
    _check_chat_rate(room, asked)
    speaker = m.ChatFrom(
        user=asked.user.id, name=member.name, seat=None if seat is None else seat.number
    )
    await room.say(m.ChatPush(room=room.code, n=room.lines + 1, from_=speaker, text=text))


def _check_chat_rate(room: Room, asked: Asked) -> None:
    limits = room.lobby.config.limits
    now = trio.current_time()
    span = limits.chat_ms / 1000
    recent = [at for at in asked.user.chats if now - at < span]
    if len(recent) >= limits.chat_messages:
        wait = max(1, round((recent[0] + span - now) * 1000))
        details: dict[str, m.Json] = {"retry_after_ms": wait, "limit": limits.chat_messages}
        raise RefusedError(ErrorCode.TOO_MANY_REQUESTS, details)
    asked.user.chats = [*recent, now]


def _sync(room: Room, asked: Asked, sync: m.Sync) -> m.SyncResult:
    member = _member(room, asked)
    if asked.connection is not member.connection:  # it was taken over meanwhile
        return m.SyncResult(seq=0)
    return m.SyncResult(seq=room.sync(member, sync.seq))


# --- after the game ------------------------------------------------------------------------------


def _replay(room: Room, asked: Asked, _: m.Replay) -> m.ReplayResult:
    if room.table is None or room.phase is not m.Phase.OVER:
        raise RefusedError(ErrorCode.NOT_OVER, _room(room))
    day = room.deal.day
    if day is not None and not room.lobby.daily.is_closed(day):
        raise RefusedError(ErrorCode.NOT_OVER, {**_room(room), "day": day})
    return m.ReplayResult(replay=room.table.replay())


async def _rematch(room: Room, asked: Asked, rematch: m.Rematch) -> m.RematchResult:
    seat = _seat(room, asked)
    if room.phase is not m.Phase.OVER:
        raise RefusedError(ErrorCode.NOT_OVER, _room(room))
    again = room.lobby.rooms.get(room.rematch or "")
    if again is None:
        again = await room.found_again(asked.user, counted(asked.connection.wire.address))
        room.rematch = again.code
        room.notify_all(NoticeCode.REMATCH, {**_room(room), "to": again.code})
    elif not again.has_member(asked.user):
        old = again.seats[seat.number] if seat.number < len(again.seats) else None
        wanted = seat.number if old is not None and old.is_empty else None
        join = m.Join(id=0, room=again.code, seat=wanted)
        await again.ask(join, asked.user, asked.connection, asked.stamp)
    return m.RematchResult(room=again.code)


Order = Callable[[Any, Any, Any], "m.Result | Awaitable[m.Result | None] | None"]
ORDERS: Final[Mapping[type[m.Request], Order]] = {
    m.Join: _join,
    m.Leave: _leave,
    m.Kick: _kick,
    m.Host: _host,
    m.Configure: _configure,
    m.Deck: _deck,
    m.Ready: _ready,
    m.Bot: _bot,
    m.Start: _start,
    m.Act: _act,
    m.Auto: _auto,
    m.Pause: _pause,
    m.Chat: _chat,
    m.Sync: _sync,
    m.Replay: _replay,
    m.Rematch: _rematch,
}
