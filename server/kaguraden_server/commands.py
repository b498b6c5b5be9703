"""The commands that this package adds to the command line."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from kaguraden_protocol.links import grouped, join_link
from kaguraden_rules.kernel import Text

from .config import EVERY, Config, ConfigError
from .logs import LEVELS, Log
from .sources import Sources
from .telling import FAULTS, UNREADABLE, locale_language, tell

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .app import Running
    from .tls import Tls

__all__ = ["cards", "serve"]

EVERYWHERE = frozenset({EVERY, "", "0.0.0.0", "::"})  # noqa: S104 - what people ask for
CANNOT_START = 1
WRONG_SETTINGS = 2


@click.command(short_help="Host games. 対局の場を開く")
@click.option("--host", help="The address to listen on.  [default: 127.0.0.1, this machine only]")
@click.option(
    "--port",
    metavar="NUMBER",
    help="The port to listen on; 0 picks a free one.  [default: 8765]",
)
@click.option(
    "--lan",
    is_flag=True,
    help="Host for the local network: listen on all addresses, and be found by kaguraden play.",
)
@click.option(
    "--tls",
    metavar="[off|auto|files]",
    help="Encrypt connections: with a certificate that is made and kept (auto), or with --cert.",
)
@click.option(
    "--cert",
    metavar="FILE",
    help="The certificate for TLS, in PEM form.",
)
@click.option(
    "--key",
    metavar="FILE",
    help="Its key, if it is not in the file of --cert.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="A folder for the journal, from which rooms and games come back after a restart, the "
    "records of finished games (DIR/replays/*.json) and the daily.",
)
@click.option(
    "--packs",
    type=click.Path(path_type=Path),
    help="A folder of card packs and books to add (DIR/*.toml); see kaguraden cards check.",
)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="A TOML file of settings, by default $KAGURADEN_CONFIG. The variables "
    "KAGURADEN_<SECTION>_<KEY> go over it, flags over those; see kaguraden config show.",
)
@click.option("--log-format", metavar="[console|json]", help="How the log on stderr is written.")
@click.option("--log-level", metavar=f"[{'|'.join(LEVELS)}]", help="How much the log tells.")
@click.option(
    "--until-eof",
    is_flag=True,
    help="End when standard input does; for a program that starts a server for itself. Variables "
    "then set nothing.",
)
def serve(
    host: str | None,
    port: str | None,
    lan: bool,
    tls: str | None,
    cert: str | None,
    key: str | None,
    data: Path | None,
    packs: Path | None,
    file: Path | None,
    log_format: str | None,
    log_level: str | None,
    until_eof: bool,
) -> None:
    """Host games until SIGTERM or Ctrl-C.

    Prints one line with the WebSocket address to stdout when it listens; the log goes to stderr.
    Everybody else joins with `kaguraden play ADDRESS`. In a terminal it takes commands from who runs
    it, which `help` lists. A wrong setting, card pack or certificate ends it with status 2 and one
    line for each fault. SIGHUP has it read its settings again.
    """
    flags: dict[str, dict[str, Any]] = {
        "server": {"host": EVERY if lan and host is None else host, "port": port},
        "lan": {"announce": lan or None},
        "tls": {
            "mode": "files" if tls is None and cert is not None else tls,
            "cert": cert,
            "key": key,
        },
        "data": {
            "dir": None if data is None else str(data),
            "packs": None if packs is None else str(packs),
        },
        "log": {"format": log_format, "level": log_level},
    }
    # Who starts a server for itself says all by flags: it must not get the data of another one.
    sources = Sources(file, {} if until_eof else dict(os.environ), flags)
    try:
        config = sources.read().config
    except ConfigError as error:
        by = "kaguraden serve: "
        lines = [Text(by + text.ja, by + text.en) for text in error.texts]
        tell(lines, locale_language(), err=True)
        sys.exit(WRONG_SETTINGS)
    _serve(config, sources, until_eof=until_eof)


def _serve(config: Config, sources: Sources, *, until_eof: bool) -> None:
    # Before the server listens to it, and after that, it must not end it.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # What takes long to import is wanted only when there is something to run.
    import trio

    from .app import App, run_app
    from .invitation import invite
    from .journal.store import JournalError
    from .journal.writer import StorageDown
    from .listening import reachable_addresses, why_not
    from .logs import set_up
    from .packs import PackError
    from .tls import TlsError

    set_up(config.log.format, config.log.level, names=config.lan.announce)
    log = Log()
    try:
        app = App(config, log=log, read=lambda: sources.read().config)
    except PackError as error:
        tell(error.lines, locale_language(), err=True)
        sys.exit(WRONG_SETTINGS)
    except TlsError as error:
        click.echo(f"kaguraden serve: {error}", err=True)
        sys.exit(WRONG_SETTINGS)

    def started(running: Running) -> None:
        click.echo(running.url)
        sys.stdout.flush()
        if running.tls is not None:
            _tell_certificate(config, running.tls, log)
        addresses = [running.url]
        if config.server.host in EVERYWHERE:
            addresses = reachable_addresses(running.hosts, running.port, running.scheme)
            _tell_addresses(config, addresses, running.tls, log)
        if config.log.format == "console" and addresses:
            running.lobby.told_address = addresses[0]
            if config.lan.announce:
                pin = running.tls.pin if running.tls is not None else ""
                invite(running.lobby, addresses[0], pin)

    beside = None
    if config.log.format == "console" and not until_eof:
        beside = _console()
    try:
        trio.run(partial(run_app, app, started, until_eof=until_eof, beside=beside))
    except* JournalError as group:
        click.echo(f"kaguraden serve: {_first(group)}", err=True)
        sys.exit(WRONG_SETTINGS)
    except* sqlite3.Error as group:
        click.echo(f"kaguraden serve: the journal cannot be opened: {_first(group)}", err=True)
        sys.exit(CANNOT_START)
    except* StorageDown as group:
        click.echo(
            f"kaguraden serve: the journal cannot be used now: {_first(group)}; see that its disk "
            "has room and is well, then start again",
            err=True,
        )
        sys.exit(CANNOT_START)
    except* OSError as group:
        why = why_not(_first(group), config.server.host, config.server.port)
        click.echo(f"kaguraden serve: cannot start: {why}", err=True)
        sys.exit(CANNOT_START)


def _console() -> Callable[[Running], Awaitable[None]] | None:
    """Return what takes commands in this terminal, if it is one."""
    if not _can_type():
        return None
    from .terminal.console import Console

    language = locale_language()

    async def take_commands(running: Running) -> None:
        await Console(running.keys, language).run()

    return take_commands


def _can_type() -> bool:
    """Tell whether somebody can type here: a terminal at all ends, and this in its foreground."""
    if os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        ends = (sys.stdin, sys.stdout, sys.stderr)
        return all(end.isatty() for end in ends) and (
            os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        )
    except (AttributeError, OSError, ValueError):
        return False


def _tell_certificate(config: Config, tls: Tls, log: Log) -> None:
    if config.log.format == "json":
        log.info("certificate", fingerprint=tls.fingerprint)
        return
    lines = ["証明書の指紋 / fingerprint of the certificate:", f"  {grouped(tls.fingerprint)}"]
    click.echo("\n".join(["", *lines]), err=True)


def _tell_addresses(config: Config, addresses: list[str], tls: Tls | None, log: Log) -> None:
    if config.log.format == "json":
        log.info("reachable", addresses=addresses)
        return
    lines = ["この機械のほかから届くアドレスが見つかりません / no address that others can reach"]
    if addresses:
        lines = ["ほかの人は / others join with:"]
        if tls is not None and tls.pin:
            addresses = [f'"{join_link(address, pin=tls.pin)}"' for address in addresses]
        lines += [f"  kaguraden play {address}" for address in addresses]
    click.echo("\n".join(["", *lines, ""]), err=True)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@click.group(short_help="Check card packs. カードパックを調べる")
def cards() -> None:
    """Work with card packs: cards of your own for odoriko and yumeochi, as data."""


@cards.command(short_help="Check card packs before they are played. カードパックを調べる")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
def check(files: tuple[Path, ...], lang: str | None) -> None:
    """Check card packs, alone and together with the games' own cards.

    Prints one line for each fault, FILE:LINE first, at most 50 for one file, and then one for the
    file. A warning (W…) does not keep a file from being played. The status is 0 if all is well, 1
    if there are faults, 2 if a file cannot be read.
    """
    from kaguraden_protocol.limits import Limits
    from kaguraden_rules.catalogue import check_packs, games, in_lines

    from .packs import PackFiles, misfits

    language = lang or locale_language()
    read = PackFiles.read(files)
    tell(read.unreadable, language, err=True)
    checked = check_packs(read.texts)
    for file in checked:
        tell((*in_lines((*file.faults, *file.warnings)), file.summary), language)
    has_faults = any(file.faults for file in checked)
    if not has_faults:
        too_many = misfits(games(read.texts), Limits())
        tell(too_many, language)
        has_faults = bool(too_many)
    if read.unreadable:
        sys.exit(UNREADABLE)
    if has_faults:
        sys.exit(FAULTS)
