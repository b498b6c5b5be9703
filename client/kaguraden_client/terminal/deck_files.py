"""Deck files: TOML in the user's data folder, `decks/NAME.toml`.

    game = "odoriko"
    name = "Winter"
    cards = [
        "cc001",
        "ev_kodama",
    ]

`cards` is all that a file must have. The writer writes just this, so it needs no library.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import tomllib
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import frozen
from kaguraden_protocol.limits import MAX_CARDS, MAX_WORD_CHARACTERS

from . import deck_words  # noqa: F401 - adds its words
from .memory import data_dir
from .text import clean
from .words import Lang, say

__all__ = [
    "BadDeckFile",
    "DeckFile",
    "decks_dir",
    "delete_deck",
    "file_name",
    "find_deck",
    "format_deck",
    "parse_deck",
    "read_deck",
    "saved_decks",
    "write_deck",
]

_MAX_BYTES: Final = 64 * 1024  # more than the longest deck takes
_MAX_NAME: Final = 40  # characters
_UNFIT: Final = re.compile(r'[/\\:*?"<>|]')  # in file names, on one system or another
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class BadDeckFile(Exception):
    """A deck file that cannot be used: a key of `words` and what to fill in."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key, self.values = key, values

    def text(self, lang: Lang) -> str:
        """Return what is wrong, in words."""
        return say(lang, self.key, **{k: clean(v) for k, v in self.values.items()})


@frozen
class DeckFile:
    """What a deck file says; `game` and `name` are empty where it leaves them out."""

    cards: tuple[str, ...]
    name: str = ""
    game: str = ""


def decks_dir() -> Path:
    """Return the folder of the user's decks."""
    return data_dir() / "decks"


def file_name(name: str) -> str:
    """Return the name of the file for a deck of this name, without its ending.

    Raises:
        BadDeckFile: Nothing is left of the name that a file can be called.
    """
    text = unicodedata.normalize("NFC", clean(name))
    text = _UNFIT.sub("-", text).strip(" .")[:_MAX_NAME].rstrip(" .")
    if not text.strip("-"):
        raise BadDeckFile("deck.file.name", what=name)
    return f"_{text}" if _DEVICES.fullmatch(text) else text


def saved_decks(folder: Path | None = None) -> list[str]:
    """Return the names of the user's decks."""
    try:
        found = sorted((folder or decks_dir()).glob("*.toml"))
    except OSError:
        return []
    return [path.stem for path in found]


def find_deck(what: str, folder: Path | None = None) -> Path:
    """Return the file that is meant by a path or by the name of a saved deck.

    Raises:
        BadDeckFile: There is none; it names those that there are.
    """
    folder = folder or decks_dir()
    path = Path(what).expanduser()
    if path.is_file():
        return path
    with contextlib.suppress(BadDeckFile):
        saved = folder / f"{file_name(what.removesuffix('.toml'))}.toml"
        if saved.is_file():
            return saved
    names = saved_decks(folder)
    if names:
        raise BadDeckFile("deck.file.missing_have", what=what, names=", ".join(names))
    raise BadDeckFile("deck.file.missing", what=what)


def read_deck(path: Path, game: str | None = None) -> DeckFile:
    """Return the deck of a file.

    Args:
        path: The file.
        game: The game that it must be for, where the file names one.

    Raises:
        BadDeckFile: It cannot be read, or makes no sense.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BadDeckFile("deck.file.unreadable", path=path, why=error.strerror or error) from None
    if len(data) > _MAX_BYTES:
        raise BadDeckFile("deck.file.big", path=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadDeckFile("deck.file.text", path=path) from None
    deck = parse_deck(text, str(path))
    if game is not None and deck.game and deck.game != game:
        raise BadDeckFile("deck.file.game", path=path, game=deck.game, wanted=game)
    return deck if deck.name else DeckFile(deck.cards, path.stem, deck.game)


def parse_deck(text: str, path: str) -> DeckFile:
    """Return the deck of a file's text.

    Raises:
        BadDeckFile: It makes no sense; `path` is named in what it says.
    """
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadDeckFile("deck.file.toml", path=path, why=error) from None
    for field in ("name", "game"):
        if not isinstance(told.get(field, ""), str):
            raise BadDeckFile("deck.file.field", path=path, field=field)
    cards = told.get("cards")
    if not isinstance(cards, list):
        raise BadDeckFile("deck.file.no_cards", path=path)
    for i, card in enumerate(cards):
        if not isinstance(card, str) or not 1 <= len(card) <= MAX_WORD_CHARACTERS:
            raise BadDeckFile("deck.file.card", path=path, n=i + 1)
    if not 1 <= len(cards) <= MAX_CARDS:
        raise BadDeckFile("deck.file.cards", path=path, n=len(cards), most=MAX_CARDS)
    return DeckFile(tuple(cards), clean(told.get("name", "")), clean(told.get("game", "")))


def format_deck(deck: DeckFile) -> str:
    """Return the text of a deck file."""
    head = [f"{key} = {_quoted(text)}" for key, text in (("game", deck.game), ("name", deck.name)) if text]  # fmt: skip
    return "\n".join([*head, "cards = [", *(f"    {_quoted(c)}," for c in deck.cards), "]", ""])


def _quoted(text: str) -> str:
    """Return a basic string of TOML."""
    safe = "".join(
        f"\\u{ord(c):04X}" if ord(c) < 0x20 or ord(c) == 0x7F else c
        for c in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{safe}"'


def write_deck(name: str, cards: Sequence[str], game: str, folder: Path | None = None) -> Path:
    """Write a deck to its file, as a whole; return the file, called as `file_name` has it.

    Raises:
        BadDeckFile: No file can have that name, or the file cannot be written.
    """
    folder = folder or decks_dir()
    path = folder / f"{file_name(name)}.toml"
    text = format_deck(DeckFile(tuple(cards), clean(name).strip(), game))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".deck-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise BadDeckFile("deck.file.unwritable", path=path, why=error.strerror or error) from None
    return path


def delete_deck(name: str, folder: Path | None = None) -> str:
    """Delete one of the user's saved decks, and return its name.

    Raises:
        BadDeckFile: There is none of that name, or its file cannot be deleted.
    """
    folder = folder or decks_dir()
    stem, names = name.removesuffix(".toml"), saved_decks(folder)
    if stem not in names:
        if names:
            raise BadDeckFile("deck.file.missing_have", what=name, names=", ".join(names))
        raise BadDeckFile("deck.file.missing", what=name)
    path = folder / f"{stem}.toml"
    try:
        path.unlink()
    except OSError as error:
        raise BadDeckFile("deck.file.undeletable", path=path, why=error.strerror or error) from None
    return stem
