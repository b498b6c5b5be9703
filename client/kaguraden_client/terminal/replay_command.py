"""The command `kaguraden replay`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Final

import click

from ..languages import Lang, system_lang
from . import app
from .frames import ALL, FrameSource, NoFrames, Viewer, open_frames
from .replay_screen import Player, sentences
from .text import clean
from .words import say

__all__ = ["replay"]

_HELP: Final = """Show a recorded game, step by step, from any seat or with everything open.

\b
kaguraden replay game.json               everything open
kaguraden replay game.json --seat 2      as the second seat saw it
kaguraden replay game.json --plain       in sentences

Keys: arrows a step, PgUp and PgDn ten, Home and End, 1-9 a seat's view, w a spectator's,
a everything open, ? what the cards mean, q the end.

記録された対局を一手ずつ見ます。
"""


@click.command(help=_HELP, short_help="Show a recorded game. 対局の記録を見る")
@click.argument("file", type=click.Path())
@click.option(
    "--seat",
    type=click.IntRange(1),
    help="See it as this seat did; seats count from 1, as on the screen. / この席の視点。",
)
@click.option("--watch", is_flag=True, help="See it as a spectator did. / 観戦者の視点。")
@click.option("--step", type=click.IntRange(0), default=0, help="Begin here. / この手から。")
@click.option(
    "--packs",
    type=click.Path(file_okay=False),
    help="The folder of card packs that the game was played with. / カードパック。",
)
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
@click.option(
    "--plain", "is_plain", is_flag=True, help="Sentences instead of screens. / 行単位の表示。"
)
@click.option(
    "--ascii",
    "plain_glyphs",
    is_flag=True,
    help="No characters of uncertain width. / 幅の曖昧な文字を使わない。",
)
def replay(
    file: str,
    seat: int | None,
    watch: bool,
    step: int,
    packs: str | None,
    lang: str | None,
    is_plain: bool,
    plain_glyphs: bool,
) -> None:
    """Show a recorded game, step by step."""
    language = Lang(lang) if lang else system_lang()
    viewer: Viewer = None if watch else ALL if seat is None else seat - 1
    options = ["--lang", language.value, *(["--packs", packs] if packs else [])]
    try:
        with open_frames(file, *options) as frames:
            if seat is not None and seat > frames.head.seats:
                most = say(language, "replay.no_seat", most=frames.head.seats)
                raise click.BadParameter(most, param_hint="--seat")
            player = Player(frames, language, viewer, min(step, frames.head.steps))
            if is_plain or not (sys.stdout.isatty() and sys.stdin.isatty()):
                for line in sentences(player):
                    click.echo(line)
            else:
                with contextlib.suppress(KeyboardInterrupt):
                    asyncio.run(_show(player, plain_glyphs=plain_glyphs))
            _tell_fault(frames, language)
    except NoFrames as error:
        for line in str(error).splitlines():
            click.echo(clean(line), err=True)
        sys.exit(error.status)


def _tell_fault(frames: FrameSource, language: Lang) -> None:
    """End with status 1 if the record stops before its end, and say why."""
    fault = frames.head.fault
    if fault is not None:
        why = fault.ja if language is Lang.JA else fault.en
        click.echo(say(language, "replay.fault", why=clean(why)), err=True)
        sys.exit(1)


async def _show(player: Player, *, plain_glyphs: bool) -> None:
    loop = asyncio.get_running_loop()

    def after_key() -> None:
        ended = application.future is None or application.future.done()
        if player.is_over and not ended:
            application.exit()

    def stop() -> None:
        player.is_over = True
        after_key()

    application = app.build_app(player, loop.time, after_key, plain_glyphs=plain_glyphs)
    await app.run_until_gone(application, stop)
