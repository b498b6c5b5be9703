"""`kaguraden schema`: the protocol's files for programs, written and checked."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import click
from kaguraden_protocol.compatible import broken
from kaguraden_rules.kernel import Text

from . import published
from .telling import FAULTS, UNREADABLE, locale_language, tell

__all__ = ["RELEASED", "check_files", "schema"]

FOLDER = Path("protocol/schema")
RELEASED = "released"  # in the folder: the documents of each release, which never change


@click.group(short_help="The protocol in JSON Schema and AsyncAPI. 通信規約の定義ファイル")
def schema() -> None:
    """Write and check the files that describe the protocol for programs."""


_folder = click.argument(
    "folder", metavar="[DIR]", default=FOLDER, type=click.Path(path_type=Path, file_okay=False)
)
_language = click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)


@schema.command(short_help="Write the files. 書き出す")
@_folder
@_language
def write(folder: Path, lang: str | None) -> None:
    """Write schema.json, asyncapi.json and games/*.json to DIR, by default protocol/schema."""
    language = lang or locale_language()
    for path in published.PATHS:
        file = folder / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(published.text(path), encoding="utf-8")
        except OSError as error:
            why = error.strerror or str(error)
            tell([Text(f"{file}: 書けません: {why}", f"{file}: {why}")], language, err=True)
            sys.exit(UNREADABLE)
        tell([Text(f"{file} を書きました。", f"{file} is written.")], language)


@schema.command(short_help="Check the files. 調べる")
@click.argument(
    "folder",
    metavar="[DIR]",
    default=FOLDER,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
)
@_language
def check(folder: Path, lang: str | None) -> None:
    """Check that the files of DIR are current, and compatible with the releases beside them.

    DIR/released/VERSION has the files of each release. Says what a client that was written against
    a release would trip over. The status is 1 if anything is wrong, 2 if there is no DIR.
    """
    language = lang or locale_language()
    faults = check_files(folder)
    tell(faults, language)
    if faults:
        sys.exit(FAULTS)
    if releases := ", ".join(release.name for release in _releases(folder)):
        right = Text(
            f"最新で、公開済みの版（{releases}）と互換です。",
            f"Current, and compatible with what was released: {releases}.",
        )
    else:
        right = Text(
            "最新です。比べるべき公開済みの版はありません。",
            "Current. There is no release to compare them with.",
        )
    tell([right], language)


def check_files(folder: Path) -> list[Text]:
    """Return what is wrong with the files of a folder: out of date, or not compatible.

    Ends of lines do not count: a checkout may have CRLF.
    """
    found: list[Text] = []
    for path in published.PATHS:
        file = folder / path
        try:
            current = file.read_text(encoding="utf-8") == published.text(path)
        except (OSError, UnicodeDecodeError):
            current = False
        if not current:
            found.append(
                Text(
                    f"{file}: 最新ではありません。kaguraden schema write で書き直してください。",
                    f"{file}: not current; kaguraden schema write writes it anew.",
                )
            )
    try:
        for release in _releases(folder):
            found += _broken_since(release)
    except OSError as error:
        found.append(_unreadable(Path(error.filename or folder / RELEASED), error))
    return found


def _releases(folder: Path) -> list[Path]:
    """Return the folder of each release; OSError if there is something else in their place."""
    released = folder / RELEASED
    return sorted(p for p in released.iterdir() if p.is_dir()) if released.exists() else []


def _broken_since(release: Path) -> list[Text]:
    """Return what a client that was written against a release would trip over."""
    found: list[Text] = []
    there = {file.relative_to(release).as_posix() for file in release.rglob("*.json")}
    for path in sorted(there | _needed(release)):
        file = release / path
        if path not in there:
            found.append(Text(f"{file}: ありません。", f"{file}: missing."))
        elif path not in published.PATHS:
            found.append(Text(f"{path}: なくなりました。", f"{path}: the document is gone."))
        else:
            found += _compared(file, path, release.name)
    return found


def _needed(release: Path) -> set[str]:
    """Return what a release has to have: what its AsyncAPI document names, and the general ones.

    If that document cannot be read it is found wanting by itself.
    """
    try:
        text = (release / published.ASYNCAPI).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    return {published.SCHEMA, published.ASYNCAPI, *re.findall(r"`(games/[a-z_]+\.json)`", text)}


def _compared(file: Path, path: str, release: str) -> list[Text]:
    """Return what is wrong with a document of a release, or with that of today beside it."""
    try:
        what = broken(_read(file), published.document(path))
    except OSError as error:
        return [_unreadable(file, error)]
    except ValueError as error:
        why = " ".join(str(error).split())
        return [
            Text(
                f"{file}: 公開した定義ではありません: {why}",
                f"{file}: not what was published: {why}",
            )
        ]
    return [
        Text(f"{path}: {release} と互換でない: {one}", f"{path}: since {release}: {one}")
        for one in what
    ]


def _read(file: Path) -> Any:  # noqa: ANN401 - any JSON
    """Return what a file holds; OSError, or ValueError if that is no JSON."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"no UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise ValueError("too many objects and arrays in each other") from None


def _unreadable(file: Path, error: OSError) -> Text:
    why = error.strerror or str(error)
    return Text(f"{file}: 読めません: {why}", f"{file}: {why}")
