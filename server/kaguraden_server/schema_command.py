"""`kaguraden schema`: the protocol's files for programs, written and checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

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
@_folder
@_language
def check(folder: Path, lang: str | None) -> None:
    """Check that the files of DIR are current, and compatible with the releases beside them.

    DIR/released/VERSION has the files of each release. Says what a client that was written against
    a release would trip over. The status is 1 if anything is wrong.
    """
    language = lang or locale_language()
    faults = check_files(folder)
    tell(faults, language)
    if faults:
        sys.exit(FAULTS)
    releases = ", ".join(release.name for release in _releases(folder)) or "–"
    tell(
        [
            Text(
                f"最新で、公開済みの版（{releases}）と互換です。",
                f"Current, and compatible with what was released: {releases}.",
            )
        ],
        language,
    )


def check_files(folder: Path) -> list[Text]:
    """Return what is wrong with the files of a folder: out of date, or not compatible."""
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
    for release in _releases(folder):
        found += _broken_since(release)
    return found


def _releases(folder: Path) -> list[Path]:
    released = folder / RELEASED
    return sorted(p for p in released.iterdir() if p.is_dir()) if released.is_dir() else []


def _broken_since(release: Path) -> list[Text]:
    """Return what a client that was written against a release would trip over."""
    found: list[Text] = []
    for file in sorted(release.rglob("*.json")):
        path = file.relative_to(release).as_posix()
        if path not in published.PATHS:
            found.append(Text(f"{path}: なくなりました。", f"{path}: the document is gone."))
            continue
        try:
            old = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            found.append(Text(f"{file}: 読めません: {error}", f"{file}: {error}"))
            continue
        found += (
            Text(
                f"{path}: {release.name} と互換でない: {what}",
                f"{path}: since {release.name}: {what}",
            )
            for what in broken(old, published.document(path))
        )
    return found
