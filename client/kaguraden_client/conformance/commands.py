"""The command `kaguraden conformance`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

import click
import trio
from kaguraden_protocol.text import for_terminal

from ..languages import system_lang
from ..links import read_link
from ..shell import explain
from .clause import Clause, Failed, Result, Skipped, Verdict
from .client import CLIENT, Settings, scripted_server
from .report import as_json, row, summary
from .server import SERVER
from .server.kit import Kit
from .server.line import NoHandshake, SocketDoor
from .server.registry import Check
from .server.run import try_clauses

__all__ = ["conformance"]

FAILED = 1
NOT_TRIED = 2
INTERRUPTED = 130
ENDS = ("outcome", "4000", "4004", "4005")

C = TypeVar("C", bound=Callable[..., Any])


@click.group(short_help="Check a server or a client against the protocol. 仕様どおりか確かめる")
def conformance() -> None:
    """Check a server, or a client, against protocol/README.md, clause by clause.

    サーバーやクライアントがプロトコルの仕様どおりか、一条ずつ確かめます。
    """
    # What the library says of a broken handshake, with a traceback, is a row of the table here.
    logging.getLogger("websockets").addHandler(logging.NullHandler())


def _common_options(command: C) -> C:
    """Give a command the options that both have."""
    for option in (
        click.option(
            "--lang", type=click.Choice(["ja", "en"]), help="The language; by default the locale's."
        ),
        click.option("--json", "is_json", is_flag=True, help="Print one JSON object at the end."),
        click.option("--list", "is_list", is_flag=True, help="Print the clauses, and try none."),
    ):
        command = option(command)
    return command


def _print_list(clauses: Iterable[Clause[Any]], lang: str) -> None:
    for clause in clauses:
        text = clause.ja if lang == "ja" else clause.en
        click.echo(f"§{clause.section:<2}  {clause.id:<28}  {text}")


class _NotTried(click.ClickException):
    """Ends the command in one line."""

    exit_code = NOT_TRIED

    def __init__(self, where: str, why: str) -> None:
        super().__init__(for_terminal(f"{where}: {why}"))


class _Progress:
    """Shows the rows as they come, and on a terminal what is being tried."""

    def __init__(self, lang: str, total: int, *, quiet: bool) -> None:
        self._lang = lang
        self._total = total
        self._quiet = quiet
        self._done = 0
        self._live = sys.stderr.isatty()

    def now(self, text: str) -> None:
        if self._live:
            click.echo(f"\r\x1b[2K{self._done}/{self._total} {text}", err=True, nl=False)

    def result(self, result: Result) -> None:
        self._done += 1
        if self._live:
            click.echo("\r\x1b[2K", err=True, nl=False)
        if not self._quiet:
            for line in row(result, self._lang):
                click.echo(line)
            sys.stdout.flush()


def _run(work: Callable[[], Awaitable[list[Result]]]) -> list[Result]:
    """Run to the end, or to Ctrl-C."""
    try:
        return trio.run(work)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except BaseExceptionGroup as group:  # trio's nurseries wrap what stops them
        if group.split(KeyboardInterrupt)[1] is not None:
            raise
        raise SystemExit(INTERRUPTED) from None


def finish(results: list[Result], lang: str, *, is_json: bool) -> None:
    """Print what is left to say, and end with the status that is due."""
    for line in [as_json(results)] if is_json else summary(results, lang):
        click.echo(line)
    verdicts = {result.verdict for result in results}
    if verdicts <= {Verdict.SKIPPED}:
        raise SystemExit(NOT_TRIED)
    raise SystemExit(FAILED if Verdict.FAILED in verdicts else 0)


def _chosen(only: Iterable[str]) -> list[Clause[Check]]:
    names = list(only)
    unknown = [name for name in names if name not in SERVER.clauses]
    if unknown:
        raise click.BadParameter(f"no clause {', '.join(unknown)}", param_hint="--only")
    return [clause for name, clause in SERVER.clauses.items() if not names or name in names]


@conformance.command("server", short_help="Check a server. サーバーを確かめる")
@click.argument("url", required=False)
@click.option("--only", multiple=True, metavar="ID", help="Only this clause; may be repeated.")
@click.option("--game", help="Play this game only, of those that the server offers.")
@click.option(
    "--game-seconds",
    type=click.FloatRange(1, 3600),
    default=60.0,
    show_default=True,
    help="The most that one whole game may take.",
)
@click.option("--password", help="The server's password.")
@_common_options
def server(
    url: str | None,
    only: tuple[str, ...],
    game: str | None,
    game_seconds: float,
    password: str | None,
    is_list: bool,
    is_json: bool,
    lang: str | None,
) -> None:
    """Try the clauses for servers at URL, such as 127.0.0.1:8765 or a join link.

    It opens rooms of its own, plays every game that the server offers once, at random, and takes a
    minute or two. The status is 1 if a clause failed, 2 if nothing could be tried: no such server
    is there, it has no such game, or the command was not understood.
    """
    language = lang or str(system_lang())
    clauses = _chosen(only)
    if is_list:
        _print_list(clauses, language)
        return
    if url is None:
        raise click.MissingParameter(param_hint="URL", param_type="argument")
    try:
        link = read_link(url)
    except ValueError as error:
        raise _NotTried(url, str(error)) from None
    progress = _Progress(language, len(clauses), quiet=is_json)
    door = SocketDoor(link.url, pin=link.fingerprint)
    kit = Kit(
        door,
        password=password,
        game_seconds=game_seconds,
        only_game=game,
        on_progress=progress.now,
    )

    async def run() -> list[Result]:
        async with kit.stranger():
            pass  # a server that is not there is told once, and not for every clause
        if game is not None:
            with suppress(Failed, LookupError, TypeError):  # there is a clause about that
                await kit.games()
        return await try_clauses(clauses, kit, progress.result, lambda c: progress.now(c.id))

    try:
        results = _run(run)
    except NoHandshake as refused:
        failure = explain(refused.why, door.url)
        raise _NotTried(url, failure.ja if language == "ja" else failure.en) from None
    except Skipped as skipped:
        raise _NotTried(url, skipped.ja if language == "ja" else skipped.en) from None
    finish(results, language, is_json=is_json)


@conformance.command("client", short_help="Check a client. クライアントを確かめる")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 picks one."
)
@click.option(
    "--game-length",
    type=click.IntRange(1, 1000),
    default=6,
    show_default=True,
    help="Rounds of plain play at the beginning, four decisions each.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0.5, 3600),
    default=20.0,
    show_default=True,
    help="Seconds that the client may think about an answer.",
)
@click.option(
    "--comeback",
    type=click.FloatRange(0.5, 3600),
    default=12.0,
    show_default=True,
    help="Seconds that it may take to come back.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1, 86_400),
    default=300.0,
    show_default=True,
    help="Seconds for all of it, with the wait for the client.",
)
@click.option("--no-drops", is_flag=True, help="Take no connection away before the outcome.")
@click.option(
    "--end",
    type=click.Choice(ENDS),
    default="outcome",
    show_default=True,
    help="How it ends; after a close code the client must stay away.",
)
@_common_options
def client(
    host: str,
    port: int,
    game_length: int,
    patience: float,
    comeback: float,
    timeout: float,
    no_drops: bool,
    end: str,
    is_list: bool,
    is_json: bool,
    lang: str | None,
) -> None:
    """Be the server for one client, and judge what it does.

    Prints the address to connect to. Whatever game the client creates and whatever room it joins,
    it gets a toy game, with everything in it that the specification lets a server do. The table
    comes when the script is over. The status is 1 if a clause failed, 2 if it could not listen or
    the command was not understood.
    """
    language = lang or str(system_lang())
    if is_list:
        _print_list(CLIENT.clauses.values(), language)
        return
    settings = Settings(
        rounds=game_length,
        patience=patience,
        comeback=comeback,
        timeout=timeout,
        drops=not no_drops,
        end=0 if end == "outcome" else int(end),
    )

    async def run() -> list[Result]:
        try:
            listeners = await trio.open_tcp_listeners(port, host=host)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "this is no name of a host"
            raise _NotTried(f"{host}:{port}", why) from None
        async with scripted_server(settings, host=host, listeners=listeners) as judge:
            click.echo(_WAITS[language].format(url=judge.url), err=is_json)
            sys.stdout.flush()
            await judge.done.wait()
            return judge.results()

    results = _run(run)
    progress = _Progress(language, len(results), quiet=is_json)
    for result in results:
        progress.result(result)
    finish(results, language, is_json=is_json)


_WAITS = {
    "ja": "{url} でクライアントを待っています（部屋の番号は何でも構いません）",
    "en": "waiting for a client at {url} (any room code will do)",
}
