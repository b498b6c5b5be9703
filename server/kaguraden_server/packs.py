"""The card packs that a host adds to the games: files from a folder, and whether all cards fit.

The rules check what the files say. Here is what they may not know: where files are, and how large a
message may be, since one reply to `catalog` brings all cards of a game.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from kaguraden_protocol import codec
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import LocalProtocolError
from kaguraden_protocol.limits import MAX_ID_CHARACTERS, MAX_NODES, Limits
from kaguraden_rules.catalogue import MAX_BYTES, BadPack, games, in_lines
from kaguraden_rules.kernel import Game, Games, Text

from .streams import count_nodes, dump

__all__ = ["MAX_FILES", "PackError", "PackFiles", "catalog_of", "load_games", "misfits"]

MAX_FILES: Final = 64  # of a folder; one catalogue holds far fewer sets of a useful size


class PackError(Exception):
    """Card packs cannot be used. `lines` has one text for each fault."""

    def __init__(self, lines: Iterable[Text]) -> None:
        self.lines = tuple(lines)
        super().__init__("; ".join(line.en for line in self.lines))


@frozen
class PackFiles:
    """Card files as they were read: what each holds by its name, and what could not be read."""

    texts: Mapping[str, bytes]
    unreadable: tuple[Text, ...]

    @classmethod
    def read(cls, paths: Iterable[Path]) -> PackFiles:
        """Read files in their order, each once; of a long one no more than shows that it is."""
        texts: dict[str, bytes] = {}
        unreadable: list[Text] = []
        seen: set[Path] = set()
        for path in paths:
            try:
                real = path.resolve()
                if real in seen:
                    continue
                seen.add(real)
                with path.open("rb") as file:
                    texts[_shown(path)] = file.read(MAX_BYTES + 1)
            except (OSError, ValueError, RuntimeError) as error:  # also NUL, and links in a ring
                unreadable.append(_unreadable(path, error))
        return cls(texts, tuple(unreadable))

    @classmethod
    def of_folder(cls, folder: Path) -> PackFiles:
        """Read the `*.toml` files of a folder in the order of their names, hidden ones left out.

        Raises:
            PackError: The folder cannot be read, or has too many of them.
        """
        try:
            found = sorted(
                path
                for path in folder.iterdir()
                if path.suffix == ".toml" and not path.name.startswith(".")
            )
        except (OSError, ValueError) as error:
            raise PackError([_unreadable(folder, error)]) from None
        if len(found) > MAX_FILES:
            name, n = _shown(folder), len(found)
            text = Text(
                f"{name}: ファイルが {n} 個あります（{MAX_FILES} 個まで）",
                f"{name}: {n} card files; at most {MAX_FILES} are taken",
            )
            raise PackError([text])
        others = tuple(path for path in found if _is_other(path))
        files = cls.read(path for path in found if path not in others)
        no_files = tuple(
            Text(f"{_shown(path)}: ファイルではありません", f"{_shown(path)}: not a file")
            for path in others
        )
        return cls(files.texts, files.unreadable + no_files)


def load_games(config_packs: str, limits: Limits) -> Games:
    """Return the games with the card packs of a folder; with their own cards alone if it is "".

    Raises:
        PackError: With every fault of the folder and of its files, or because a game has more cards
            than one reply may bring.
    """
    if not config_packs:
        return games()
    files = PackFiles.of_folder(Path(config_packs))
    faults: list[Text] = list(files.unreadable)
    try:
        loaded = games(files.texts)
    except BadPack as bad:
        raise PackError([*faults, *in_lines(bad.faults)]) from None
    faults += misfits(loaded, limits)
    if faults:
        raise PackError(faults)
    return loaded


def catalog_of(game: Game[Any, Any], options: Any = None) -> m.CatalogResult:  # noqa: ANN401
    """Return the names and texts of a game's cards, and its rulebook, as they are sent.

    Args:
        game: The game.
        options: The game's own of a room, for the cards that are played with there.
    """
    found: Any = game.catalog(options)
    book = found.get("rulebook")
    return m.CatalogResult(
        found["version"],
        tuple(found["packs"]),
        found["cards"],
        m.Text(book["ja"], book["en"]) if book is not None else None,
        found.get("books"),
    )


def misfits(loaded: Games, limits: Limits) -> list[Text]:
    """Return a text for each catalogue with more cards than one reply may bring."""
    found: list[Text] = []
    for game in loaded.values():
        for chosen, catalog in _catalogs(game):
            reply = m.Ok(re="x" * MAX_ID_CHARACTERS, result=codec.to_wire(catalog))
            try:
                codec.encode(reply, limits)
            except LocalProtocolError:
                wire = codec.to_wire(reply)
                values, size = count_nodes(wire), len(dump(wire))
                most = limits.frame_out_bytes
                found.append(
                    Text(
                        f"{game.name.ja}{chosen}のカードが多すぎて一度に送れません: {values} 個の値"
                        f"（{MAX_NODES} 個まで）、{size} バイト（{most} バイトまで）。"
                        "どれかのパックを外してください",
                        f"{game.id}{chosen} has too many cards to send in one message: "
                        f"{values} values (at most {MAX_NODES}), {size} bytes (at most {most}); "
                        "leave some packs out",
                    )
                )
    return found


def _catalogs(game: Game[Any, Any]) -> Iterator[tuple[str, m.CatalogResult]]:
    """Yield all that may be sent of a game's cards: where a room chooses one set, each for itself.

    Each with the set to name in messages, or "".
    """
    properties: Any = game.options_schema().get("properties", {})
    sets = properties.get("set", {}).get("enum")
    if sets is None:
        yield "", catalog_of(game)
        return
    for chosen in sets:
        yield f" ({chosen})", catalog_of(game, game.parse_options({"set": chosen}))


def _shown(path: Path) -> str:
    """Return a path as it may be printed."""
    return "".join(c if c.isprintable() else "\ufffd" for c in str(path))


def _is_other(path: Path) -> bool:
    """Return whether a path is there and no file; what cannot be looked at is told by reading it."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _unreadable(path: Path, error: Exception) -> Text:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Text(f"{_shown(path)}: 読めません: {reason}", f"{_shown(path)}: {reason}")
