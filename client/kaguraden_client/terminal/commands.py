"""The commands `kaguraden play`, `join` and `servers`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from attrs import evolve, frozen
from kaguraden_protocol import messages
from kaguraden_protocol.errors import RefusedError
from kaguraden_protocol.links import grouped
from kaguraden_protocol.text import check_name

from ..asyncio_shell import open_client
from ..bots import LEVELS
from ..discovery import Search
from ..languages import system_lang
from ..links import Link, has_scheme, read_link
from ..reading import Json, as_str
from ..session import Session
from ..shell import CannotConnect
from . import app, plain
from .book_files import find_book, read_book
from .books import Book
from .deck_files import BadDeckFile, find_deck, read_deck
from .decks import Desk, Draft
from .embedded import ServerFailed, embedded_server
from .finding import (
    NotFound,
    Own,
    Target,
    find_room,
    free_seats,
    pick_in_lines,
    reach_lines,
    remembered,
    server_line,
)
from .memory import Memory, data_dir, login_name
from .pick import pick_on_screen
from .rehearse import FIRST_BOOK, GAME
from .screens.servers import Code, Servers
from .text import clean, cut, wrap
from .ui import Plan, Ui
from .words import Lang, name_problem, say

__all__ = ["join", "play", "program", "server_log", "servers"]

_DEFAULT_BOTS: Final = 3
# Games that make no sense in a lobby of one's own: their table is filled with bots at once.
_FULL_TABLES: Final = {"yumeochi": 3}
_LOGS_KEPT: Final = 5  # of the servers of one's own that ran before


@frozen
class _Choices:
    """What the command line asked for."""

    link: Link | None
    trust_new: bool
    name: str
    lang: Lang
    is_plain: bool
    plan: Plan
    game: str
    bots: int
    level: str | None
    options: dict[str, Json]
    decks: Desk
    plain_glyphs: bool
    named: bool  # by --name
    new: bool
    password: str | None
    alone: bool = True  # on a server of one's own, at once, if there is no `url`


def program() -> str:
    """Return what people type to start this program again."""
    started = sys.argv[0]
    if Path(started).name == "__main__.py":
        return f"{Path(sys.executable).name} -m kaguraden_server"
    found = shutil.which("kaguraden")
    if found is not None and os.path.realpath(found) == os.path.realpath(started):
        return "kaguraden"
    return shlex.quote(started)


def _option(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Json]:
    options: dict[str, Json] = {}
    for text in values:
        name, found, value = text.partition("=")
        if not found or not name:
            raise click.BadParameter(f"{text!r}: NAME=VALUE")
        if value.removeprefix("-").isdecimal():
            options[name] = int(value)
        else:
            options[name] = {"true": True, "false": False}.get(value, value)
    return options


def _book(what: str, language: Lang) -> str | Book:
    """Return the book that `--book` means: that of a file, or a name that the server knows."""
    path = find_book(what)
    if path is None:
        return what
    try:
        return read_book(path)
    except BadDeckFile as error:
        raise click.BadParameter(error.text(language), param_hint="--book") from None


_HELP: Final = """Play in the terminal: on the server at URL, on one in your network, or on one started for you.

\b
kaguraden play                      the servers in your network, or one of your own
kaguraden play --bots 3             a game against three bots, at once
kaguraden play --book kyu-3         enbu alone, at once
kaguraden play --game yumeochi      yumeochi against three bots, at once
kaguraden play 192.168.1.5:8765     a friend's server
kaguraden play "JOIN LINK"          the table of a friend's link or QR code

端末で遊びます。URL がなければ、ネットワークのサーバーを探すか、自分用のサーバーを起動します。
"""


@click.command(help=_HELP, short_help="Play in the terminal. 端末で遊ぶ")
@click.argument("url", required=False)
@click.option("--name", help="What the others call you. / ほかの人に見える名前。")
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
@click.option(
    "--plain", "is_plain", is_flag=True, help="Sentences instead of screens. / 行単位の表示。"
)
@click.option("--room", metavar="CODE", help="Go to this table at once. / この卓にすぐ入る。")
@click.option("--room-password", help="The password of that table. / その卓の合言葉。")
@click.option("--password", help="The server's password. / サーバーの合言葉。")
@click.option(
    "--trust-new-certificate",
    "trust_new",
    is_flag=True,
    help="Accept a certificate in place of the one that the server had. / "
    "サーバーの新しい証明書を受け入れる。",
)
@click.option(
    "--new",
    is_flag=True,
    help="Come as a new player, not as the one you were there. / 新しい人として入る。",
)
@click.option("--watch", is_flag=True, help="With --room: watch only. / --room と共に: 観戦だけ。")
@click.option(
    "--game",
    default="odoriko",
    show_default=True,
    help="The game of a new table. / 新しい卓のゲーム。",
)
@click.option(
    "--bots",
    type=click.IntRange(1, 15),
    help="Make a table with so many bots and start. / ボットN人とすぐ始める。",
)
@click.option(
    "--level",
    metavar=f"[{'|'.join(LEVELS)}]",  # a server may have others
    default="greedy",
    show_default=True,
    help="The bots' level. / ボットの強さ。",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_option,
    help="An option of the new table. / 卓の設定。",
)
@click.option(
    "--book",
    metavar="BOOK",
    help="Rehearse this book of enbu alone: an id, a share code, a file, daily. / "
    "この演目帖で演舞する: 名前、共有コード、ファイル、daily。",
)
@click.option(
    "--deck",
    metavar="FILE",
    help="Play the deck of this file, or the saved one of this name. / このデッキで遊ぶ。",
)
@click.option(
    "--alone",
    is_flag=True,
    help="On a server of your own, without looking for others. / 自分のサーバーですぐ遊ぶ。",
)
@click.option(
    "--ascii",
    "plain_glyphs",
    is_flag=True,
    help="No characters of uncertain width. / 幅の曖昧な文字を使わない。",
)
def play(
    url: str | None,
    name: str | None,
    lang: str | None,
    is_plain: bool,
    room: str | None,
    room_password: str | None,
    password: str | None,
    trust_new: bool,
    new: bool,
    watch: bool,
    game: str,
    bots: int | None,
    level: str,
    options: dict[str, Json],
    book: str | None,
    deck: str | None,
    alone: bool,
    plain_glyphs: bool,
) -> None:
    """Play in the terminal: on the server at URL, in the network, or on one started for you."""
    language = Lang(lang) if lang else system_lang()
    memory = Memory.load()
    link = None if url is None else _link(url, memory)
    room = room or (link.room if link is not None else None)
    if room is None and (watch or room_password is not None):
        option = "--watch" if watch else "--room-password"
        raise click.UsageError(say(language, "start.needs_room", option=option))
    chosen = name or memory.name or login_name()
    try:
        check_name(chosen)
    except RefusedError as error:
        raise click.BadParameter(
            say(language, "lobby.bad_name", why=name_problem(language, error.details)),
            param_hint="--name",
        ) from None
    if url is None and room is None and bots is None:
        bots = _FULL_TABLES.get(game)
    plan = Plan()
    wanted: str | Book | None = None
    if book is not None or (game == GAME and bots is None):
        game = GAME
        wanted = _book(book or as_str(options.get("book"), FIRST_BOOK), language)
    if room is not None:
        plan = Plan(room=room.strip().upper(), watch=watch, password=room_password)
    elif wanted is not None:
        plan = Plan(rehearse=wanted, bots=bots or 0, level=level)
    elif bots is not None:
        create = messages.Create(id=0, game=game, seats=bots + 1, options=options or None)
        plan = Plan(create=create, bots=bots, level=level, start=True)
    desk = Desk()
    if deck is not None:
        try:
            file = read_deck(find_deck(deck), game)
        except BadDeckFile as error:
            raise click.BadParameter(error.text(language), param_hint="--deck") from None
        desk = Desk(bring=Draft(file.cards, file.name), bring_game=file.game or game)
    choices = _Choices(
        link=link,
        trust_new=trust_new,
        name=chosen,
        lang=language,
        is_plain=is_plain or not (sys.stdout.isatty() and sys.stdin.isatty()),
        plan=plan,
        game=game,
        bots=_DEFAULT_BOTS if bots is None else bots,
        level=level,
        options=options,
        decks=desk,
        plain_glyphs=plain_glyphs or _is_narrow_only(),
        named=name is not None,
        new=new,
        password=password,
        alone=alone or (plan != Plan() and room is None),
    )
    with contextlib.suppress(KeyboardInterrupt):
        if not asyncio.run(_play(choices, memory)):
            raise SystemExit(1)


def _link(text: str, memory: Memory) -> Link:
    """Return where to go; a server that had a certificate is not asked for less because of it."""
    try:
        link = read_link(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    secure = link.url.replace("ws:", "wss:", 1)
    return evolve(link, url=secure) if not has_scheme(text) and secure in memory.pins else link


def _is_narrow_only() -> bool:
    """Whether the terminal cannot show more than ASCII with certainty."""
    return "utf" not in (sys.stdout.encoding or "").lower()


def server_log(folder: Path) -> Path:
    """Return the file for the log of a server of one's own; of those before, the newest stay."""
    with contextlib.suppress(OSError):  # another client may be at it too
        for old in sorted(folder.glob("server-*.log"), key=os.path.getmtime)[:-_LOGS_KEPT]:
            old.unlink(missing_ok=True)
    return folder / f"server-{os.getpid()}.log"


def _tell(text: str) -> None:
    """Tell something on stderr: on a terminal broken between words, for a program in one line."""
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        text = "\n".join(part for line in text.split("\n") for part in wrap(line, columns))
    click.echo(text, err=True)


class _Elsewhere(Exception):
    """The user wants to go to another server."""


async def _play(choices: _Choices, memory: Memory) -> bool:
    try:
        return await _begin(choices, memory)
    except _Elsewhere:
        return await _browse(evolve(choices, plan=Plan()), memory)


async def _begin(choices: _Choices, memory: Memory) -> bool:
    if choices.link is not None:
        return await _at_link(choices.link, choices, memory)
    if choices.alone:
        return await _at_own(choices, memory)
    if choices.plan.room is not None:
        link = await _find(choices.plan.room, choices, memory, _tell)
        return link is not None and await _at_link(link, choices, memory)
    if choices.is_plain:
        search = Search()
        target = await pick_in_lines(
            search, remembered(memory), choices.lang, program(), click.echo
        )
        return target is None or await _go(target, choices, memory)
    return await _browse(choices, memory)


async def _browse(choices: _Choices, memory: Memory) -> bool:
    """Show the list of servers, and play where the user goes, until one has had enough."""
    notes: list[str] = []
    while True:
        screen = Servers(choices.lang, program(), Search(), note=" ".join(notes))
        await pick_on_screen(screen, remembered(memory), Search, plain_glyphs=choices.plain_glyphs)
        choices = evolve(choices, lang=screen.lang)
        notes.clear()
        target = screen.choice
        if isinstance(target, Code):
            target = await _find(target.code, choices, memory, notes.append)
            if target is None:
                continue
        if target is None:
            return True
        try:
            is_well = await _go(target, choices, memory, notes.append)
        except _Elsewhere:
            continue
        if is_well or not notes:
            return is_well


async def _go(
    target: Target, choices: _Choices, memory: Memory, tell: Callable[[str], None] = _tell
) -> bool:
    if isinstance(target, Own):
        return await _at_own(choices, memory)
    if target.room is not None:
        choices = evolve(choices, plan=Plan(room=target.room))
    return await _at_link(target, choices, memory, tell)


async def _find(
    room: str, choices: _Choices, memory: Memory, tell: Callable[[str], None]
) -> Link | None:
    """Find the server of a table; tells why if there is none."""
    _tell(say(choices.lang, "find.looking_room", code=clean(room)))
    try:
        return await find_room(
            room,
            Search(room=room),
            remembered(memory),
            choices.lang,
            program(),
            knows=choices.password is not None,
        )
    except NotFound as error:
        for line in error.lines:
            tell(line)
        return None


async def _at_own(choices: _Choices, memory: Memory) -> bool:
    _tell(say(choices.lang, "start.server"))
    try:
        async with embedded_server(server_log(data_dir())) as url:
            return await _at(Link(url), choices, memory, embedded=True)
    except ServerFailed as error:
        _tell(say(choices.lang, "start.server_failed", why=error))
        return False
    except CannotConnect as error:
        return _cannot(error, choices.lang)


async def _at_link(
    link: Link, choices: _Choices, memory: Memory, tell: Callable[[str], None] = _tell
) -> bool:
    """Play on a server of somebody else, with the certificate that the link or memory says.

    One that is seen for the first time, and that no authority can vouch for, is kept in mind. That
    the server is not there is said to `tell`.
    """
    kept = None if choices.trust_new else memory.pins.get(link.url)
    if kept is not None and link.fingerprint not in (None, kept):
        _tell_changed(choices.lang, kept, link.fingerprint or "")
        return False
    pinned = evolve(link, fingerprint=link.fingerprint or kept)
    try:
        return await _at(pinned, choices, memory)
    except CannotConnect as error:
        refused = error.certificate
        if refused is not None and refused.wanted is not None:
            _tell_changed(choices.lang, refused.wanted, refused.shown)
            return False
        if refused is None or not refused.is_own:
            return _cannot(error, choices.lang, tell)
    shown = grouped(refused.shown)
    _tell(say(choices.lang, "start.first_certificate", shown=shown))
    halves = f"{shown[:47]} {shown[48:]}"  # in two lines of a notice
    note = "" if choices.is_plain else say(choices.lang, "start.first_certificate", shown=halves)
    try:
        return await _at(evolve(link, fingerprint=refused.shown), choices, memory, note=note)
    except CannotConnect as error:
        return _cannot(error, choices.lang, tell)


def _cannot(error: CannotConnect, lang: Lang, tell: Callable[[str], None] = _tell) -> bool:
    why = error.ja if lang is Lang.JA else error.en
    tell(say(lang, "start.cannot_connect", url=error.url, why=why))
    return False


def _tell_changed(lang: Lang, old: str, new: str) -> None:
    _tell(say(lang, "start.other_certificate", old=grouped(old), new=grouped(new)))


async def _at(
    link: Link, choices: _Choices, memory: Memory, *, embedded: bool = False, note: str = ""
) -> bool:
    """Play on a server until the user quits. False if that could not be.

    Raises:
        CannotConnect: It is not there, or shows another certificate.
    """
    url = link.url
    name, token = choices.name, None
    is_second = False
    if not embedded:  # the embedded one's tokens end with it
        known = any(place.url == url for place in memory.places)
        place = memory.take(url, name if choices.named else None, new=choices.new)
        token = place.token
        name = name if choices.named else place.name or name
        is_second = known and token is None and not choices.named and not choices.new
    session = Session(
        name,
        token=token,
        locale=messages.Locale(choices.lang.value),
        password=choices.password,
        patient=not choices.is_plain,
    )
    ui = Ui(
        session,
        lang=choices.lang,
        url=url,
        embedded=embedded,
        plan=choices.plan,
        decks=choices.decks,
        quick_bots=choices.bots or _DEFAULT_BOTS,
        quick_game=choices.game,
        quick_level=choices.level,
        quick_options=choices.options,
        program=program(),
    )
    if is_second:
        ui.note = ui.say("start.second")
    ui.note = note or ui.note or (ui.say("net.plain") if ui.is_overheard else "")
    try:
        async with open_client(url, session, pin=link.fingerprint) as client:
            if not embedded:
                memory.trust(url, link.fingerprint)
            if choices.is_plain:
                return await plain.run(client, ui, memory)
            await app.run(client, ui, memory, plain_glyphs=choices.plain_glyphs)
            for line in ui.farewell():
                click.echo(line)
    finally:
        memory.release()
    if ui.elsewhere:
        raise _Elsewhere
    return not ui.stopped_early


# --- join and servers -----------------------------------------------------------------------------

_PLACE: Final = re.compile(r"[:./]")  # what addresses and links have, and codes have not
_JOIN_HELP: Final = """Join a table by its code, on whichever server in your network has it, or by a join link.

\b
kaguraden join KAGU-7Q2F
kaguraden join http://192.168.1.5:8765/play?room=KAGU-7Q2F

Takes the options of play. 卓のコードか参加リンクで卓に入ります。play のオプションが使えます。
"""


@click.command(
    help=_JOIN_HELP,
    short_help="Join a table by its code. コードで卓に入る",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("code", metavar="CODE")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF PLAY]")
def join(code: str, options: tuple[str, ...]) -> None:
    """Join a table by its code, or by a join link."""
    if _PLACE.search(code):
        play.main([code, *options], "kaguraden play", standalone_mode=False)
        return
    play.main(["--room", code, *options], "kaguraden play", standalone_mode=False)


@click.command(short_help="List the servers in the network. サーバーの一覧")
@click.option("--json", "as_json", is_flag=True, help="For programs. / プログラム用。")
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
def servers(as_json: bool, lang: str | None) -> None:
    """List the servers that announce themselves in the local network, with their tables.

    Ends with 1 if there is none. このネットワークのサーバーと卓を並べます。
    """
    language = Lang(lang) if lang else system_lang()
    search = Search()
    if not as_json:
        _tell(say(language, "find.looking"))
    asyncio.run(search.run())
    found = search.found()
    if as_json:
        told = [
            {
                "name": clean(seen.server.name),
                "url": seen.best.url,
                "fingerprint": seen.best.fingerprint,
                "password": seen.wants_password,
                "rooms": [
                    {
                        "room": cut(clean(room.room), 32),
                        "game": cut(clean(room.game), 32),
                        "phase": cut(clean(room.phase), 32),
                        "seats": len(room.seats),
                        "free": free_seats(room),
                    }
                    for room in seen.rooms
                ],
            }
            for seen in found
        ]
        click.echo(json.dumps({"network": search.reach.value, "servers": told}, indent=2))
    else:
        for seen in found:
            click.echo(server_line(seen, language))
        for line in reach_lines(search, language, program()):
            _tell(line)
    if not found:
        raise SystemExit(1)
