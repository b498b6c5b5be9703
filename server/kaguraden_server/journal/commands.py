"""`kaguraden journal`: look into a journal, check it, take games out of it, make it smaller.

All but `vacuum` only read, and may be used while a server runs. What is secret in a game that is
not over (its seed, its hands) is shown by `export --secrets` alone.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from kaguraden_protocol.text import for_terminal

from kaguraden_server.telling import FAULTS, UNREADABLE, locale_language, tell

from . import store

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Text

__all__ = ["journal"]

_data = click.option(
    "--data",
    "folder",
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The data folder of the server, as for serve.",
)
_packs = click.option(
    "--packs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of card packs that the server has, if it has one.",
)
_lang = click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)


@click.group(short_help="Look into a server's journal. 記録簿を調べる")
def journal() -> None:
    """Look into the journal of a server: the rooms and games that a restart brings back."""


@journal.command("list", short_help="List the rooms. 部屋の一覧")
@_data
@click.option("--all", "everything", is_flag=True, help="Closed rooms too.")
@_lang
def list_(folder: Path, everything: bool, lang: str | None) -> None:
    """List the rooms that are open, or all that are kept.

    A line has the room's number and code, when it was opened (UTC), its game, how it stands, and
    how many steps of the game are kept.
    """
    from kaguraden_rules.kernel import Text

    language = lang or locale_language()
    with _reading(folder) as connection:
        rows = [r for r in store.room_rows(connection) if everything or r.closed_ms is None]
        for row in rows:
            tell([_line(connection, row)], language)
    if not rows:
        none = Text("部屋はありません", "no rooms are kept")
        if not everything:
            none = Text(
                "開いている部屋はありません（閉じた部屋も見るなら --all）",
                "no room is open; --all lists the closed ones",
            )
        tell([none], language, err=True)


@journal.command(short_help="Show a room. 部屋を見る")
@_data
@click.argument("room")
@_lang
def show(folder: Path, room: str, lang: str | None) -> None:
    """Show what is kept of a ROOM (its code or number): people, options, steps; no secrets.

    Seats count from 0, as in a record.
    """
    from .games import Lost, room_of

    language = lang or locale_language()
    with _reading(folder) as connection:
        for row in _rooms(connection, room):
            tell([_line(connection, row)], language)
            try:
                kept = room_of(row)
            except Lost as lost:
                _say(f"  {lost}")
                continue
            names = {member.user: member.name for member in kept.members}
            for number, seat in enumerate(kept.seats):
                bot = "" if seat.bot is None else f"{seat.bot.name} (bot {seat.bot.level})"
                _say(f"  {number}  {names.get(seat.owner or '', bot) or '-'}")
            _say(f"  {json.dumps(kept.options, ensure_ascii=False)}")
            if row.lost is not None:
                _say(f"  {row.lost}")


@journal.command(short_help="Check a journal. 記録簿を検査する")
@_data
@_packs
@_lang
def check(folder: Path, packs: Path | None, lang: str | None) -> None:
    """Check the file itself, and play every game in it again.

    Prints a line for each fault, and one at the end. The status is 0 if all is well, 1 if there are
    faults, 2 if the journal cannot be read at all.
    """
    from kaguraden_rules.kernel import Text

    from kaguraden_server.verify import load_games_or_exit

    from .games import room_of, table_of

    language = lang or locale_language()
    games = load_games_or_exit(packs, language)
    faults = 0
    with _reading(folder) as connection:
        for (problem,) in connection.execute("PRAGMA integrity_check").fetchall():
            if problem != "ok":
                faults += 1
                tell([Text(f"ファイル: {problem}", f"the file: {problem}")], language)
        rows = list(store.room_rows(connection))
        with _progress(rows) as shown:
            for row in shown:
                try:
                    room_of(row)
                    table_of(row, store.steps_of(connection, row.number), games)
                except Exception as error:
                    faults += 1
                    _say(f"{row.code} ({row.number}): {_why(error)}")
    tell(
        [
            Text(
                f"{len(rows)} 部屋を調べました。不具合 {faults} 件。",
                f"rooms checked: {len(rows)}, faults: {faults}",
            )
        ],
        language,
    )
    if faults:
        sys.exit(FAULTS)


@journal.command(short_help="Take a game out as a file. 対局を取り出す")
@_data
@_packs
@click.argument("room")
@click.option(
    "--to", type=click.Path(path_type=Path, dir_okay=False), help="The file; stdout without it."
)
@click.option(
    "--secrets", is_flag=True, help="Also a game, or a day, that is not over, with all it hides."
)
@_lang
def export(
    folder: Path, packs: Path | None, room: str, to: Path | None, secrets: bool, lang: str | None
) -> None:
    """Write the record of the game in a ROOM (its code or number), as verify and replay read it."""
    from kaguraden_rules.kernel import Text

    from kaguraden_server.config import DailySettings
    from kaguraden_server.daily import Daily
    from kaguraden_server.verify import load_games_or_exit

    from .games import table_of

    language = lang or locale_language()
    games = load_games_or_exit(packs, language)
    with _reading(folder) as connection:
        row = _rooms(connection, room)[-1]
        try:
            table = table_of(row, store.steps_of(connection, row.number), games)
        except sqlite3.Error:
            raise
        except Exception as error:
            _say(f"{row.code}: {_why(error)}", err=True)
            sys.exit(FAULTS)
    if table is None:
        tell([Text("対局はまだ始まっていません", "its game has not begun")], language, err=True)
        sys.exit(FAULTS)
    if table.outcome is None and not secrets:
        text = Text(
            "対局は終わっていません。--secrets を付ければ、隠れた札ごと取り出せます",
            "the game is not over; with --secrets it is taken out with all it hides",
        )
        tell([text], language, err=True)
        sys.exit(FAULTS)
    day = table.deal.day
    if day is not None and not secrets and not Daily(DailySettings()).is_closed(day):
        text = Text(f"{day} の演目帖はまだ明かされません", f"the day {day} is not closed yet")
        tell([text], language, err=True)
        sys.exit(FAULTS)
    record = json.dumps(table.replay(), ensure_ascii=False, separators=(",", ":"))
    if to is None:
        click.echo(record)
        return
    try:
        mode = 0o600 if secrets else 0o666
        with open(
            to, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, mode)
        ) as file:
            file.write(record)
    except OSError as error:
        _say(f"kaguraden journal: {to}: {error.strerror}", err=True)
        sys.exit(UNREADABLE)


@journal.command(short_help="Make a journal smaller. 記録簿を小さくする")
@_data
@click.option("--days", type=click.IntRange(0, 3_660), default=30, show_default=True)
@click.option(
    "--rooms", "most", type=click.IntRange(0, 10_000_000), default=10_000, show_default=True
)
@_lang
def vacuum(folder: Path, days: int, most: int, lang: str | None) -> None:
    """Delete rooms closed more than so many DAYS ago or beyond so many, and free their space.

    No server may be using the journal.
    """
    from kaguraden_rules.kernel import Text

    language = lang or locale_language()
    try:
        lock = store.Lock(folder)
        before = store.size_of(folder)
        connection = store.open_for_writing(folder)
        gone = store.forget_closed(connection, days=days, most=most)
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        lock.release()
    except (store.JournalError, sqlite3.Error, OSError) as error:
        click.echo(f"kaguraden journal: {error}", err=True)
        sys.exit(UNREADABLE)
    after = store.size_of(folder)
    tell(
        [
            Text(
                f"{gone} 部屋を消しました。{before:,} → {after:,} バイト",
                f"rooms deleted: {gone}, bytes: {before:,} to {after:,}",
            )
        ],
        language,
    )


# --- what they share -----------------------------------------------------------------------------


@contextmanager
def _reading(folder: Path) -> Iterator[sqlite3.Connection]:
    try:
        connection = store.read_only(folder)
        try:
            yield connection
        finally:
            connection.close()
    except (store.JournalError, sqlite3.Error) as error:
        click.echo(f"kaguraden journal: {error}", err=True)
        sys.exit(UNREADABLE)


def _rooms(connection: sqlite3.Connection, named: str) -> list[store.RoomRow]:
    """Return the rooms that a person means: by a code, or the one of a number."""
    from kaguraden_server.codes import normal_code

    rows = list(store.room_rows(connection, normal_code(named)))
    if not rows:
        rows = [row for row in store.room_rows(connection) if str(row.number) == named]
    if not rows:
        click.echo(f"kaguraden journal: no room {named} / {named} はありません", err=True)
        sys.exit(FAULTS)
    return rows


def _say(line: str, *, err: bool = False) -> None:
    """Print a line without what could harm a terminal."""
    click.echo(for_terminal(line), err=err)


def _why(error: Exception) -> str:
    """Return why a game cannot be played again; another fault's text may quote what is secret."""
    from .games import Lost

    return str(error) if isinstance(error, Lost) else type(error).__name__


def _line(connection: sqlite3.Connection, row: store.RoomRow) -> Text:
    from kaguraden_rules.kernel import Text

    (steps,) = connection.execute(
        "SELECT count(*) FROM steps WHERE room = ?", (row.number,)
    ).fetchone()
    try:
        opened = datetime.fromtimestamp(row.opened_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    except (TypeError, ValueError, OverflowError):
        opened = "?"
    if row.lost is not None:
        ja, en = "復元不能", "lost"
    elif row.closed_ms is not None:
        ja, en = "閉室", "closed"
    else:
        phases = {"lobby": "開始前", "playing": "対局中", "over": "終局"}
        ja, en = phases.get(row.phase, "?"), row.phase if row.phase in phases else "?"
    head = f"{row.number:>6}  {row.code}  {opened:<16}  {row.game!s:<9}"
    return Text(f"{head} {ja}  {steps} 手", f"{head} {en}  {steps} steps")


@contextmanager
def _progress(rows: list[store.RoomRow]) -> Iterator[Iterator[store.RoomRow]]:
    """Show how far a long check is, where somebody looks at it."""
    if not sys.stderr.isatty() or len(rows) < 20:
        yield iter(rows)
        return
    with click.progressbar(rows, file=sys.stderr) as shown:
        yield iter(shown)
