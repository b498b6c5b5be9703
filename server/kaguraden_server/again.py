"""A recorded game, dealt and played again by the rules.

Nothing of the record is believed: its options, cards and seats are checked as a room would check
them, and every input goes through the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from kaguraden_rules.kernel import (
    BadDeck,
    BadOptions,
    Game,
    Games,
    Input,
    RuleError,
    Step,
    Text,
    apply,
)

from .records import Record, canonical, format_input
from .table import packs_of

__all__ = ["Again", "NotAgain", "prepare"]


class NotAgain(Exception):
    """The game cannot be played so. `text` says why, for people."""

    def __init__(self, text: Text) -> None:
        self.text = text
        super().__init__(text.en)


@frozen
class Again:
    """A record with the game and the room's options that it names."""

    record: Record
    game: Game[Any, Any]
    options: Any

    @property
    def is_daily(self) -> bool:
        """Whether it is a challenge of a day: its entropy is that of the day (EN-88)."""
        return self.game.day_entropy(self.options, bytes(32), "2000-01-01") is not None

    def deal(self) -> Step[Any]:
        """Deal.

        Raises:
            NotAgain: The game is not dealt to so many.
        """
        record = self.record
        try:
            return self.game.setup(self.options, record.seats, record.decks, record.entropy)
        except RuleError as error:
            raise NotAgain(_refused(error)) from None

    def play(self, state: Any) -> Iterator[tuple[Input, Step[Any]]]:  # noqa: ANN401 - the game's
        """Yield each input with the step that it makes, from the deal on.

        Raises:
            NotAgain: The rules refuse one, here and now.
        """
        for n, entry in enumerate(self.record.inputs, 1):
            try:
                step = apply(self.game, state, entry)
            except RuleError as error:
                line = format_input(entry)
                why = _refused(error)
                raise NotAgain(
                    Text(f"{n} 手目「{line}」: {why.ja}", f"input {n}, “{line}”: {why.en}")
                ) from None
            yield entry, step
            state = step.state


def _refused(error: RuleError) -> Text:
    why = " ".join(str(error).split())[:200]
    return Text(f"規則に合いません（{error.code}: {why}）", f"the rules refuse it ({why})")


def prepare(record: Record, games: Games) -> Again:
    """Return the game of a record, ready to be dealt.

    Raises:
        NotAgain: There is no such game here, or it is not played so.
    """
    game = games.get(record.game)
    if game is None:
        known = ", ".join(games)
        raise NotAgain(
            Text(
                f"ゲーム {record.game} はここにはありません（あるもの: {known}）",
                f"there is no game {record.game} here; there are {known}",
            )
        )
    if game.rules != record.rules:
        raise NotAgain(
            Text(
                f"規則の版 {record.rules} の対局ですが、ここにあるのは {game.rules} です",
                f"it was played by rules {record.rules} of {game.id}, and these are {game.rules}",
            )
        )
    again = Again(record, game, _options(record, game))
    _check_cards(again)
    return again


def _options(record: Record, game: Game[Any, Any]) -> Any:  # noqa: ANN401 - the game's own
    try:
        options = game.parse_options(record.options)
    except BadOptions as error:
        why = "; ".join(f"{p.path} {p.problem}" for p in error.problems)[:300]
        raise NotAgain(
            Text(
                f"部屋の設定が使えません。カードパックが要るなら --packs で（{why}）",
                f"the game does not take its options; if card packs are missing, --packs ({why})",
            )
        ) from None
    if canonical(game.format_options(options)) != canonical(record.options):
        raise NotAgain(
            Text(
                "部屋の設定が、サーバーの書く形ではありません",
                "its options are not written as a server writes them",
            )
        )
    return options


def _check_cards(again: Again) -> None:
    record, game = again.record, again.game
    least, most = game.seats
    if not least <= record.seats <= most:
        raise NotAgain(
            Text(
                f"席は {least}〜{most} のはずですが、{record.seats} です",
                f"{game.id} has {least} to {most} seats, not {record.seats}",
            )
        )
    here = packs_of(game, again.options)
    if record.packs is not None and list(record.packs) != here:
        told, mine = ", ".join(record.packs) or "-", ", ".join(map(str, here)) or "-"
        raise NotAgain(
            Text(
                f"カードパックが違います。記録: {told}、ここ: {mine}（--packs で指定）",
                f"other card packs: the record has {told}; here are {mine} (give them with --packs)",
            )
        )
    for seat, deck in enumerate(record.decks):
        try:
            fits = game.check_deck(again.options, deck or None) == deck
            why = ""
        except BadDeck as error:
            fits, why = False, f" ({error})"[:200]
        if not fits:
            raise NotAgain(
                Text(
                    f"席 {seat} のデッキが使えません{why}",
                    f"seat {seat} may not play its deck{why}",
                )
            )
