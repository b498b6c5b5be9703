"""`kaguraden bot`: a bot of this package at a table of any server, from outside."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final, NoReturn

import click
import trio
from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.text import for_terminal

from ..languages import system_lang
from ..links import Link, read_link
from ..session import (
    Answered,
    Chatted,
    Event,
    Failed,
    HelloRefused,
    Lost,
    Noticed,
    Opened,
    RoomChanged,
    RoomLeft,
    Session,
    Stopped,
    Updated,
)
from ..shell import CannotConnect
from ..table import Json
from ..terminal.words import Lang, has, say
from ..trio_shell import open_client
from . import CLIENT, LEVELS, polite
from .player import Player

__all__ = ["bot"]

PLAYED: Final = 0
NOT_JOINED: Final = 1  # 2 is click's, for a command that was not understood
ENDED_EARLY: Final = 3
INTERRUPTED: Final = 130

JA: Final[dict[str, str]] = {
    "connected": "{server} に {name} として接続しました",
    "seated": "{room} の席 {seat} に着きました",
    "watching": "{room} に空席がなく、観戦になりました",
    "ready": "準備完了。開始を待っています",
    "act": "→ {answer}",
    "event": "{event}",
    "chat": "{name}: {text}",
    "notice": "お知らせ: {text}",
    "lost": "接続が切れました ({code})。再接続します",
    "back": "再接続しました",
    "over": "終局: {ranking}",
    "left": "{room} を離れました: {reason}",
    "stopped": "終了: {ja}",
    "refused": "拒否されました: {code}: {text}",
    "cannot": "{url} に接続できません: {ja}",
    "no_room": "卓のコードを --room で指定してください",
}
EN: Final[dict[str, str]] = {
    "connected": "connected to {server} as {name}",
    "seated": "sitting at seat {seat} of {room}",
    "watching": "no seat is free in {room}: only watching",
    "ready": "ready, waiting for the start",
    "act": "→ {answer}",
    "event": "{event}",
    "chat": "{name}: {text}",
    "notice": "notice: {text}",
    "lost": "connection lost ({code}), coming back",
    "back": "connected again",
    "over": "game over: {ranking}",
    "left": "left {room}: {reason}",
    "stopped": "stopped: {en}",
    "refused": "refused: {code}: {text}",
    "cannot": "cannot connect to {url}: {en}",
    "no_room": "name the table with --room",
}
HINTS: Final[dict[str, tuple[str, str]]] = {
    "room_not_found": (
        "卓のコードを確かめてください (例: KAGU-7Q2F)",
        "check the table's code, such as KAGU-7Q2F",
    ),
    "room_full": ("空いている席がありません", "no seat is free; ask the host"),
    "room_started": (
        "ゲームはもう始まっています",
        "the game has begun; bots join before the start",
    ),
    "bad_password": ("--password か --room-password を指定", "give --password or --room-password"),
    "bad_name": ("--name で別の名前を指定", "choose another name with --name"),
}


@define
class _Teller:
    """Says in a line each what happens, and remembers how it ended."""

    language: str
    room: str
    session: Session
    exit_code: int = ENDED_EARLY
    _is_ready: bool = field(default=False, init=False)

    def say(self, key: str, *, err: bool = False, **parts: object) -> None:
        """Print a line, cleaned of everything that a terminal could take for a command."""
        texts = JA if self.language == "ja" else EN
        clean = {name: for_terminal(str(part)) for name, part in parts.items()}
        click.echo(texts[key].format(**clean), err=err)

    def refuse(self, code: str, message: str) -> None:
        """Say why it went no further, and what to do about it."""
        self.say("refused", err=True, code=code, text=message)
        if code in HINTS:
            click.echo(HINTS[code][0 if self.language == "ja" else 1], err=True)

    def tell(self, event: Event) -> None:
        """Take an event."""
        match event:
            case Opened(again=True):
                self.say("back")
            case Opened(hello=hello):
                self.say("connected", server=hello.server.name, name=self.session.name)
            case HelloRefused() | Failed(request=messages.Join()):
                self.exit_code = NOT_JOINED
                self.refuse(event.code, event.message)
            case Answered(request=messages.Join(), result=result):
                self.room = str(result.get("room"))  # as the server writes the code
                self._seated(result.get("seat"))
            case Answered(request=messages.Act() as act):
                value = "" if act.value is None else f" {_short(act.value)}"
                self.say("act", answer=f"{act.option}{value}")
            case Failed(request=messages.Act()):
                self.refuse(event.code, event.message)
            case Updated(room=self.room, events=events):
                for happened in events:
                    self.say("event", event=_line(happened))
                self._look_for_the_end()
            case RoomChanged(room=self.room):
                self._look_for_the_start()
            case Chatted(line=line):
                self.say("chat", name=line.name, text=line.text)
            case Noticed():
                self.say("notice", text=event.message)
            case Lost():
                self.say("lost", code=event.code)
            case RoomLeft(room=self.room):
                lang, key = Lang(self.language), f"code.{event.reason}"
                reason = say(lang, key) if has(key) else event.reason
                self.say("left", room=self.room, reason=reason)
            case Stopped():
                self.say("stopped", err=True, ja=event.ja, en=event.en)
            case _:
                pass

    def _seated(self, seat: Json) -> None:
        if isinstance(seat, int):
            self.say("seated", room=self.room, seat=seat)
        else:
            self.say("watching", room=self.room)

    def _look_for_the_start(self) -> None:
        table = self.session.rooms.get(self.room)
        if table is None or table.info is None:
            return
        mine = next((seat for seat in table.info.seats if seat.seat == table.seat), None)
        is_ready = bool(mine and mine.ready)
        if is_ready and not self._is_ready:
            self.say("ready")
        self._is_ready = is_ready

    def _look_for_the_end(self) -> None:
        table = self.session.rooms.get(self.room)
        outcome = table.view.get("outcome") if table is not None else None
        if not isinstance(outcome, dict) or self.exit_code == PLAYED or table is None:
            return
        self.exit_code = PLAYED
        ranking = outcome.get("ranking")
        places = (
            [place for place in ranking if isinstance(place, dict)]
            if isinstance(ranking, list)
            else []
        )
        said = (
            f"{place.get('rank')}. {table.name_of(seat) or seat} ({place.get('score')})"
            for place in places
            if isinstance(seat := place.get("seat"), int)
        )
        self.say("over", ranking=", ".join(said))


def _line(event: Mapping[str, Json]) -> str:
    """Return an event in one line: its kind, then its fields."""
    fields = (f"{key}={_short(value)}" for key, value in event.items() if key != "kind")
    return " ".join((str(event.get("kind")), *fields))


def _short(value: object) -> str:
    match value:
        case dict():
            return "{" + " ".join(f"{key}={_short(part)}" for key, part in value.items()) + "}"
        case list() | tuple():
            return "[" + " ".join(map(_short, value)) + "]"
        case _:
            return str(value)


@click.command(short_help="Let a bot play at a table. ボットを席に着ける")
@click.argument("url")
@click.option(
    "--room", metavar="CODE", help="The room, such as KAGU-7Q2F, if URL is no join link of one."
)
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    default="greedy",
    show_default=True,
    help="How it plays.",
)
@click.option("--name", default=None, help="What the others call it; by default after its level.")
@click.option("--seed", type=int, default=None, help="Make its choices repeatable.")
@click.option(
    "--think",
    type=click.IntRange(0, 60_000),
    default=500,
    show_default=True,
    metavar="MS",
    help="How long it thinks beside people, in milliseconds; with 0 it does not keep to the pace "
    "that a room has for its bots either.",
)
@click.option("--password", default=None, help="The server's password.")
@click.option("--room-password", default=None, help="The room's password.")
@click.option(
    "--lang", type=click.Choice(["ja", "en"]), default=None, help="By default the system's."
)
def bot(
    url: str,
    room: str | None,
    level: str,
    name: str | None,
    seed: int | None,
    think: int,
    password: str | None,
    room_password: str | None,
    lang: str | None,
) -> NoReturn:
    """Join a table of the server at URL, such as 192.168.1.5:8765, and play to the end.

    URL may be a join link. A certificate that no authority vouches for is accepted only if its
    fingerprint is in the link.

    What happens is printed, one line an event. It comes back by itself when the connection is
    lost. Exit codes: 0 the game was played to its end; 1 it could not connect or join; 2 the
    command was not understood; 3 the game ended for it before its end.
    """
    language = lang or system_lang()
    try:
        link = read_link(url)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    url, code = link.url, room or link.room
    if code is None:
        texts = JA if language == "ja" else EN
        raise click.UsageError(texts["no_room"])
    rng = random.Random(seed)  # noqa: S311 - a way to play, no secret
    session = Session(
        name or f"{level.capitalize()} bot",
        locale=messages.Locale(language),
        bot=True,
        password=password,
        client=CLIENT,
    )
    teller = _Teller(language, code.strip().upper(), session)
    player = Player(
        session,
        teller.room,
        LEVELS[level](rng),
        think=polite(think, rng),
        keeps_pace=think > 0,
        on_event=teller.tell,
        password=room_password,
    )
    try:
        trio.run(_play, link, session, player)
    except CannotConnect as error:
        teller.say("cannot", err=True, url=url, ja=error.ja, en=error.en)
        raise SystemExit(NOT_JOINED) from None
    except BaseExceptionGroup as group:  # trio's nurseries wrap what stops them
        if group.split(KeyboardInterrupt)[1] is not None:
            raise
        raise SystemExit(INTERRUPTED) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    raise SystemExit(teller.exit_code)


async def _play(link: Link, session: Session, player: Player) -> None:
    async with open_client(link.url, session, pin=link.fingerprint) as client:
        await player.play(client)
