"""The commands that this package adds to the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from .config import Config, ConfigError, read_config, read_file
from .logs import LEVELS, Log

__all__ = ["serve"]

EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - what people ask for
CANNOT_START = 1
WRONG_SETTINGS = 2


@click.command(short_help="Host games. 対局の場を開く")
@click.option("--host", help="The address to listen on.  [default: 127.0.0.1, this machine only]")
@click.option(
    "--port", type=int, help="The port to listen on; 0 picks a free one.  [default: 8765]"
)
@click.option("--lan", is_flag=True, help="Listen on all addresses, for others in the network.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the records of finished games (DIR/replays/*.json).",
)
@click.option(
    "--config",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file of settings; flags go over it.",
)
@click.option(
    "--log-format", type=click.Choice(["console", "json"]), help="How the log on stderr is written."
)
@click.option("--log-level", type=click.Choice(LEVELS), help="How much the log tells.")
def serve(
    host: str | None,
    port: int | None,
    lan: bool,
    data: Path | None,
    file: Path | None,
    log_format: str | None,
    log_level: str | None,
) -> None:
    """Host games until SIGTERM or Ctrl-C.

    Prints one line with the WebSocket address to stdout when it listens; the log goes to stderr.
    Everybody else joins with `kaguraden play ADDRESS`. A wrong setting ends it with status 2 and
    one line for each fault.
    """
    flags: dict[str, dict[str, Any]] = {
        "server": {"host": "0.0.0.0" if lan and host is None else host, "port": port},  # noqa: S104
        "data": {"dir": None if data is None else str(data)},
        "log": {"format": log_format, "level": log_level},
    }
    try:
        config = read_config({} if file is None else read_file(file), flags)
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"kaguraden serve: {fault}", err=True)
        sys.exit(WRONG_SETTINGS)
    _serve(config)


def _serve(config: Config) -> None:
    # What takes long to import is wanted only when there is something to run.
    import trio

    from .app import App, Running, reachable_addresses, run_app
    from .logs import set_up

    set_up(config.log.format, config.log.level)
    log = Log()

    def started(running: Running) -> None:
        click.echo(running.url)
        sys.stdout.flush()
        if config.server.host in EVERYWHERE:
            _tell_addresses(config, reachable_addresses(running), log)

    try:
        trio.run(run_app, App(config, log=log), started)
    except* OSError as group:
        click.echo(f"kaguraden serve: cannot start: {_first(group)}", err=True)
        sys.exit(CANNOT_START)


def _tell_addresses(config: Config, addresses: list[str], log: Log) -> None:
    if config.log.format == "json":
        log.info("reachable", addresses=addresses)
        return
    if not addresses:
        click.echo(
            "この機械のほかから届く住所が見つかりません / no address others can reach", err=True
        )
        return
    click.echo("ほかの人は / others join with:", err=True)
    for address in addresses:
        click.echo(f"  kaguraden play {address}", err=True)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
