"""`kaguraden books`: books of enbu that players make, as files and as share codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .telling import FAULTS, UNREADABLE, locale_language, tell

if TYPE_CHECKING:
    from kaguraden_rules.enbu.added import CheckedBook

__all__ = ["books", "check_code", "check_file"]

LABEL = 16  # characters of a code that stand for it in what is printed

_lang = click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)


@click.group(short_help="Make books for enbu. 演舞の演目帖を作る")
def books() -> None:
    """Work with books for enbu (演舞): check them, share them, see what is in them."""


@books.command(short_help="Check books before they are played. 演目帖を調べる")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option("--code", "codes", multiple=True, metavar="CODE", help="A share code to check.")
@_lang
def check(files: tuple[Path, ...], codes: tuple[str, ...], lang: str | None) -> None:
    """Check books, alone and together with the game's own, and share codes.

    Prints one line for each fault, FILE:LINE first, at most 50 for one file, and then one for the
    file. A warning (W-…) does not keep a book from being played. The status is 0 if all is well, 1
    if there are faults, 2 if a file cannot be read.
    """
    from kaguraden_rules.enbu.added import check_books

    from .packs import PackFiles

    if not files and not codes:
        raise click.UsageError("name a FILE or a --code CODE")
    language = lang or locale_language()
    read = PackFiles.read(files)
    tell(read.unreadable, language, err=True)
    checked = [*check_books(read.texts), *map(check_code, codes)]
    for book in checked:
        tell(book.lines, language)
    if read.unreadable:
        sys.exit(UNREADABLE)
    if any(book.faults for book in checked):
        sys.exit(FAULTS)


@books.command(short_help="Print the share code of a book. 共有コードを出す")
@click.argument("file", metavar="FILE|ID", type=click.Path(path_type=Path))
@_lang
def code(file: Path, lang: str | None) -> None:
    """Print the share code of a file, or of one of the game's books (kyu-3).

    It is one line, to post with #よろず演目帖.

    A code carries all that is played, but no id and no comments. Faults and warnings go to stderr;
    the status is 1 if there are faults, 2 if the file cannot be read.
    """
    from kaguraden_rules.enbu.books import BOOKS
    from kaguraden_rules.enbu.codes import encode

    language = lang or locale_language()
    if str(file) in BOOKS and not file.exists():
        click.echo(encode(BOOKS[str(file)]))
        return
    checked = check_file(file, language)
    if checked.faults or checked.warnings:
        tell(checked.lines, language, err=True)
    if checked.book is None:
        sys.exit(FAULTS)
    click.echo(encode(checked.book))


@books.command(short_help="Print a book as a file. 演目帖をファイルの形で見る")
@click.argument("book", metavar="CODE|ID")
@_lang
def show(book: str, lang: str | None) -> None:
    """Print the book of a share code, or one of the game's books (kyu-3), as TOML.

    What is printed is a book file: kept in the folder of --packs, it is offered to all players. The
    status is 1 if the code is refused.
    """
    from kaguraden_rules.enbu.books import BOOKS, write_book

    found = BOOKS.get(book.strip())
    if found is None:
        checked = check_code(book)
        found = checked.book
        if found is None:
            tell(checked.lines, lang or locale_language(), err=True)
            sys.exit(FAULTS)
    click.echo(write_book(found), nl=False)


@books.command(short_help="Measure how hard books are. 演目帖の難しさを測る")
@click.argument("book", nargs=-1, required=True, metavar="FILE|ID|CODE...")
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000),
    help="Games a player.  [default: 1000; 50 for search]",
)
@click.option(
    "--players",
    default="random,novice,greedy,search",
    show_default=True,
    metavar="NAME,...",
    help="Who plays.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Other deals, other figures.")
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Processes.  [default: one for each core]"
)
@_lang
def rate(
    book: tuple[str, ...],
    games: int | None,
    players: str,
    seed: int,
    workers: int | None,
    lang: str | None,
) -> None:
    """Measure how often bots succeed at books: files, ids such as kyu-3, or share codes.

    For each player it prints how many of its games succeeded, with the 95 % interval, the mean total
    and the mean number of turns. The players are random (does anything), novice (as greedy, but
    slips at every fourth card), greedy (looks one step ahead) and search (tries its choices in
    imagined deals). Search takes seconds for a game and plays fewer: with 50 games a figure is
    uncertain by up to 14 points, with 1000 by 3. How far it is goes to stderr. The status is 1 if a
    book has faults, 2 if it cannot be read.
    """
    from . import rating

    known = rating.find_players()
    names = list(dict.fromkeys(name.strip() for name in players.split(",") if name.strip()))
    if not names or any(name not in known for name in names):
        raise click.BadParameter(f"choose from {', '.join(known)}", param_hint="--players")
    rating.rate(
        book,
        names,
        games=games,
        seed=seed,
        workers=workers,
        language=lang or locale_language(),
    )


# --- one book, wherever it comes from -----------------------------------------------------------


def check_file(file: Path, language: str) -> CheckedBook:
    """Check the book of a file; a file that cannot be read ends the process with status 2."""
    from kaguraden_rules.enbu.added import CheckedBook
    from kaguraden_rules.enbu.books import check_book

    from .packs import PackFiles

    read = PackFiles.read([file])
    if read.unreadable:
        tell(read.unreadable, language, err=True)
        sys.exit(UNREADABLE)
    ((name, data),) = read.texts.items()
    return CheckedBook(name, *check_book(data))


def check_code(code: str) -> CheckedBook:
    """Check the book of a share code, which is told by its first characters."""
    from kaguraden_rules.enbu import codes
    from kaguraden_rules.enbu.added import CheckedBook

    return CheckedBook(_label(code), *codes.check_code(code))


def _label(code: str) -> str:
    """Return the start of a code, to tell it from others."""
    start = "".join(c if c.isprintable() else "\ufffd" for c in code.strip()[:LABEL])
    return start if start == code else f"{start}…"
