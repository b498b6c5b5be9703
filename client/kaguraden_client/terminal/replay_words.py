"""What is said while a recorded game is shown."""

from __future__ import annotations

from .words import add

__all__: list[str] = []

add(
    {
        "replay.step": ("{n}/{of} 手目", "step {n}/{of}"),
        "replay.dealt": ("配ったところ", "the deal"),
        "replay.of": ("{who}の視点", "as {who} saw it"),
        "replay.watch": ("観戦者の視点", "as a spectator saw it"),
        "replay.all": ("すべて公開", "everything open"),
        "replay.clock": ("時間切れ", "a clock ran out"),
        "replay.chose": ("{who}: {what}", "{who}: {what}"),
        "replay.fault": ("記録はここで止まります: {why}", "The record stops here: {why}"),
        "replay.key.step": ("1手", "step"),
        "replay.key.ten": ("10手", "ten"),
        "replay.key.ends": ("最初/最後", "ends"),
        "replay.key.seat": ("席", "seat"),
        "replay.key.watch": ("観戦", "watch"),
        "replay.key.all": ("公開", "all"),
        "replay.key.scroll": ("送る", "scroll"),
        "replay.no_seat": ("席は {most} までです", "there are {most} seats"),
    }
)
