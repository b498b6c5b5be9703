"""`kaguraden config`: settings checked, and shown with what they mean and where they come from."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click
from kaguraden_rules.kernel import Text

from .config import ConfigError, describe
from .settings import About
from .sources import Settings, Sources
from .telling import locale_language, tell

__all__ = ["config", "shown"]

WRONG: Final = 2
COLUMNS: Final = 100
MASK: Final = "********"
_WRAP: Final = textwrap.TextWrapper(
    COLUMNS - len("# "), break_long_words=False, break_on_hyphens=False
)

_DEFAULTS: Final = Text(
    "kaguraden serve の設定。どれも既定値で、`kaguraden config show --defaults` が書いたもの。\n"
    "\n"
    "変えたいものの行頭の # を取る。",
    "The settings of `kaguraden serve`, each at its default, as written by\n"
    "`kaguraden config show --defaults`.\n"
    "\n"
    "Take away the # before the ones you want to change.",
)
_HERE: Final = Text(
    "kaguraden serve のいまの設定。`kaguraden config show` が書いたもの。",
    "The settings of `kaguraden serve` as they hold here, as written by `kaguraden config show`.",
)
_WAYS: Final = Text(
    "このファイルより環境変数 KAGURADEN_<節>_<名前>(例: KAGURADEN_SERVER_PORT。並びはコンマ区切り、\n"
    "切り替えは true か false)が、それより起動時のオプションが優先される。--config がなければ\n"
    "KAGURADEN_CONFIG がファイルを指す。誤りがあると serve は1つにつき1行を出して終わる。\n"
    "`kaguraden config check FILE` で先に調べられる。\n"
    "\n"
    "SIGHUP を受けたサーバーはファイルを読み直す。「再読込」のものはその後に始まること(接続、卓、対局)に\n"
    "効き、「再起動」のものは次の起動から。誤りのあるファイルでは何も変わらない。",
    "Over this file go variables of the environment, KAGURADEN_<SECTION>_<KEY>, such as\n"
    "KAGURADEN_SERVER_PORT (lists separated by commas, switches true or false), and over those flags.\n"
    "Without --config, KAGURADEN_CONFIG names the file. A wrong setting ends the command with one line\n"
    "for each fault; `kaguraden config check FILE` tells them beforehand.\n"
    "\n"
    "On SIGHUP a server reads its file again. What is marked reload holds from then on, for the\n"
    "connections, rooms and games that begin; the others wait for a restart. A faulty file changes\n"
    "nothing.",
)
_TITLES: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "server": Text(
            "どこで待ち受け、誰を入れるか。", "Where the server listens and whom it lets in."
        ),
        "admin": Text(
            "動かす人がどこでサーバーと話すか(kaguraden admin)。",
            "How who runs the server speaks to it (kaguraden admin).",
        ),
        "tls": Text(
            "接続を暗号化するか、どの証明書か。",
            "Whether connections are encrypted, and by which certificate.",
        ),
        "lan": Text("ローカルネットワークでの主催。", "Hosting for the local network."),
        "rooms": Text("卓と席をいつまで残すか。", "How long rooms and seats are kept."),
        "clocks": Text(
            "卓の時計。主催が別に決めなければこうなる。",
            "What a room's clocks are set to unless its host says otherwise.",
        ),
        "users": Text("人をいつまで覚えておくか。", "How long users are remembered."),
        "limits": Text(
            "どれにもある上限 (protocol/README.md 14節)。",
            "How much of everything there may be (protocol/README.md, section 14).",
        ),
        "daily": Text("演舞の、今日の演目帖。", "The challenge of the day, of enbu."),
        "data": Text(
            "ディスクに書くもの、ディスクから読むもの。",
            "What is written to disk, and read from there.",
        ),
        "log": Text("標準エラー出力に書くもの。", "What is told on stderr."),
    }
)


@click.group(short_help="Check and show settings. サーバーの設定を調べる")
def config() -> None:
    """Work with the settings of a server: a TOML file, variables and flags."""


_file = click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
_language = click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)


@config.command(short_help="Check settings. 設定の誤りを調べる")
@_file
@_language
def check(file: Path | None, lang: str | None) -> None:
    """Check the settings of FILE, by default $KAGURADEN_CONFIG, and of the variables set here.

    Prints one line for each fault. The status is 0 if all is well, else 2.
    """
    language = lang or locale_language()
    from .tls import TlsError, check_modes

    sources = Sources(file, dict(os.environ))
    try:
        check_modes(_read(sources, language).config.tls)
    except TlsError as error:
        click.echo(error, err=True)
        sys.exit(WRONG)
    ja, en = ("設定", "settings") if sources.path is None else (sources.path, sources.path)
    tell([Text(f"{ja}: 誤りはありません", f"{en}: no faults")], language)


@config.command(short_help="Show settings. 設定を表示する")
@_file
@click.option(
    "--defaults", is_flag=True, help="Show the defaults, whatever is set; for a new file."
)
@_language
def show(file: Path | None, defaults: bool, lang: str | None) -> None:
    """Show every setting as TOML: what it means and may be, its default, and where it comes from.

    With FILE, by default $KAGURADEN_CONFIG, and the variables that are set here. Passwords and other
    secrets are not shown. The status is 2 if there are faults, with one line for each.
    """
    language = lang or locale_language()
    settings = None if defaults else _read(Sources(file, dict(os.environ)), language)
    click.echo(shown(settings, language), nl=False)


def _read(sources: Sources, language: str) -> Settings:
    try:
        return sources.read()
    except ConfigError as error:
        tell(error.texts, language, err=True)
        sys.exit(WRONG)


def shown(settings: Settings | None, language: str) -> str:
    """Return settings as TOML with comments, or the defaults for None; secrets are masked."""
    head = f"{_pick(_DEFAULTS if settings is None else _HERE, language)}\n{_pick(_WAYS, language)}"
    lines = [f"# {line}".rstrip() for line in head.split("\n")]
    last = ""
    for section, key, default, note in describe():
        if section != last:
            lines += ["", f"# {_pick(_TITLES[section], language)}", f"[{section}]"]
            last = section
        lines += _setting(section, key, default, note, settings, language)
    return "\n".join([*lines, ""])


def _setting(
    section: str,
    key: str,
    default: object,
    note: About,
    settings: Settings | None,
    language: str,
) -> Iterator[str]:
    ja = language == "ja"
    told = [_range(default, note, ja=ja), note.flag]
    told.append(("再読込" if ja else "reload") if note.reload else ("再起動" if ja else "restart"))
    value, is_live = default, False
    if settings is not None:
        value = getattr(getattr(settings.config, section), key)
        origin = settings.origins.get((section, key))
        is_live = origin is not None
        told.append(f"{'既定値' if ja else 'default'} {_toml(default)}")
        if origin is not None:
            told.append(f"{origin} から" if ja else f"from {origin}")
    meaning = note.ja if ja and note.ja else note.meaning
    comment = f"{meaning} [{'; '.join(part for part in told if part)}]"
    yield from (f"# {line}" for line in ([comment] if ja else _WRAP.wrap(comment)))
    is_hidden = note.secret and value != ""
    mark = "" if is_live and not is_hidden else "#"
    yield f"{mark}{key} = {_toml(MASK if is_hidden else value)}"


def _range(default: object, note: About, *, ja: bool) -> str:
    low, high = note.low or 0, note.high
    match default:
        case bool():
            return "true か false" if ja else "true or false"
        case int():
            unit = f" {note.unit}" if note.unit else ""
            return f"{low}から{high}{unit}" if ja else f"{low} to {high}{unit}"
        case tuple():
            like = note.like and (f": {note.like} など" if ja else f" such as {note.like}")
            return ("並び" if ja else "a list") + like
        case _:
            if note.choices:
                return (" か " if ja else " or ").join(note.choices)
            return f"{low}から{high}文字" if ja else f"{low} to {high} characters"


def _toml(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:_}" if value >= 10_000 else str(value)
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _pick(text: Text, language: str) -> str:
    return text.ja if language == "ja" else text.en
