"""`kaguraden verify`: whether the record of a game is true, check by check, in plain words.

The checks follow the promise of a fair deal (protocol/README.md, section 16): the seed is the one
that was promised, the entropy comes from it and from the players' nonces, the game is dealt from
the entropy, every move is one that the rules allow, and the game ends as the record says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from attrs import field, frozen
from kaguraden_protocol.text import for_terminal
from kaguraden_rules.kernel import Text
from kaguraden_rules.plain import to_plain

from .again import Again, NotAgain, prepare
from .fairness import commitment, entropy
from .records import MAX_BYTES, BadRecord, Record, canonical, read_record, sum_of
from .telling import FAULTS, UNREADABLE, locale_language, tell

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Games, Outcome

__all__ = ["Finding", "Told", "check_record", "load_games_or_exit", "read_file", "verify"]

_SHOWN: Final = 16  # digits of a number in hex; the rest is in the file
_HEX: Final = frozenset("0123456789abcdef")


@frozen
class Told:
    """What a player was told while the game was on, or said himself."""

    commitment: str | None = None
    nonces: Mapping[int, str] = field(factory=dict)  # by seat


@frozen
class Finding:
    """What one check found."""

    ok: bool
    text: Text

    @property
    def line(self) -> Text:
        """Return it as a line to print."""
        mark = "✓" if self.ok else "✗"
        return Text(f"  {mark} {self.text.ja}", f"  {mark} {self.text.en}")


def _good(ja: str, en: str) -> Finding:
    return Finding(True, Text(ja, en))


def _bad(ja: str, en: str) -> Finding:
    return Finding(False, Text(ja, en))


def check_record(data: bytes, games: Games, told: Told | None = None) -> Iterator[Finding]:
    """Check a record, and yield what was found, one finding a check.

    Checks that need what an earlier one did not find right are left out, with a finding that says
    so. A record is right if every finding is good.
    """
    try:
        record = read_record(data)
    except BadRecord as error:
        yield from (_bad(f"形式: {p.ja}", f"form: {p.en}") for p in error.problems)
        return
    yield _form(record)
    if record.sum is not None:
        yield _sum(record, record.sum)
    yield _promise(record)
    yield from _memory(record, told or Told())
    try:
        again = prepare(record, games)
    except NotAgain as error:
        yield _bad(f"ゲーム: {error.text.ja}", f"the game: {error.text.en}")
        return
    chance = _chance(again)
    yield chance
    if not chance.ok:
        yield _bad(
            "配りなおし: 元になるエントロピーが正しくないので、していません",
            "dealing again: not done, as the entropy to deal from is not right",
        )
        return
    yield from _play(again)


def _form(record: Record) -> Finding:
    n = len(record.inputs)
    return _good(
        f"形式: {record.game} の記録（規則 {record.rules}、席 {record.seats}、入力 {n}）",
        f"form: a record of {record.game}, rules {record.rules}, seats {record.seats}, inputs {n}",
    )


def _sum(record: Record, told: str) -> Finding:
    if sum_of(record.plain) == told:
        return _good(
            f"検査和: ファイルは書かれた時のまま（{told[:_SHOWN]}…。同じ対局の人と比べられます）",
            f"sum: the file is as it was written ({told[:_SHOWN]}…; compare it with the others')",
        )
    return _bad(
        "検査和: ファイルは書かれた後に変わっています",
        "sum: the file was changed after it was written",
    )


def _promise(record: Record) -> Finding:
    found = commitment(record.seed)
    if found == record.commitment:
        return _good(
            f"約束: シードの SHA-256 はコミットメント {found[:_SHOWN]}… に等しい",
            f"promise: the SHA-256 of the seed is the commitment {found[:_SHOWN]}…",
        )
    return _bad(
        f"約束: シードの SHA-256 は {found[:_SHOWN]}… で、コミットメント "
        f"{record.commitment[:_SHOWN]}… と違います",
        f"promise: the SHA-256 of the seed is {found[:_SHOWN]}…, not the commitment "
        f"{record.commitment[:_SHOWN]}…",
    )


def _memory(record: Record, told: Told) -> Iterator[Finding]:
    """Compare with what a player knows himself."""
    if told.commitment is not None:
        if told.commitment == record.commitment:
            yield _good(
                "あなたの控え: コミットメントは、その時に知らされたもの",
                "your notes: the commitment is the one that you were told",
            )
        else:
            yield _bad(
                "あなたの控え: コミットメントが、その時に知らされたものと違います",
                "your notes: the commitment is not the one that you were told",
            )
    for seat, nonce in told.nonces.items():
        mine = record.nonces[seat] if seat < len(record.nonces) else None
        if mine == nonce:
            yield _good(
                f"あなたの控え: 席 {seat} のナンスは、あなたが送ったもの",
                f"your notes: the nonce of seat {seat} is the one that you sent",
            )
        else:
            yield _bad(
                f"あなたの控え: 席 {seat} のナンスが、あなたが送ったものと違います",
                f"your notes: the nonce of seat {seat} is not the one that you sent",
            )


def _chance(again: Again) -> Finding:
    record = again.record
    if again.is_daily:
        if not record.nonces and record.entropy == record.seed:
            return _good(
                "エントロピー: 日替わりなので、シードそのもの（ナンスは入らない）",
                "entropy: a challenge of the day, so it is the seed itself, and no nonces enter",
            )
        return _bad(
            "エントロピー: 日替わりなのに、シードそのものではありません",
            "entropy: a challenge of the day, but it is not the seed itself, or there are nonces",
        )
    if len(record.nonces) != record.seats:
        return _bad(
            "エントロピー: ナンスが席の数だけありません",
            "entropy: there is not one nonce a seat",
        )
    if entropy(record.seed, record.nonces) != record.entropy:
        return _bad(
            "エントロピー: シードとナンスの HMAC-SHA-256 と違います",
            "entropy: it is not the HMAC-SHA-256 of the nonces under the seed",
        )
    given = [str(seat) for seat, nonce in enumerate(record.nonces) if nonce]
    if not given:
        return _good(
            "エントロピー: シードの HMAC-SHA-256（ナンスを送った席はなく、サーバーだけで決まった）",
            "entropy: the HMAC-SHA-256 under the seed; no seat gave a nonce, so it is the server's alone",
        )
    seats = ", ".join(given)
    return _good(
        f"エントロピー: シードとナンスの HMAC-SHA-256（ナンスを送った席: {seats}）",
        f"entropy: the HMAC-SHA-256 of the nonces under the seed (nonces of seats {seats})",
    )


def _play(again: Again) -> Iterator[Finding]:
    record = again.record
    try:
        state = again.deal().state
    except NotAgain as error:
        yield _bad(f"配りなおし: {error.text.ja}", f"dealing again: {error.text.en}")
        return
    yield _good(
        "配りなおし: そのエントロピーから、もう一度配りました",
        "dealing again: the game was dealt again from this entropy",
    )
    try:
        for _, step in again.play(state):
            state = step.state
    except NotAgain as error:
        yield _bad(f"手: {error.text.ja}", f"moves: {error.text.en}")
        return
    n = len(record.inputs)
    yield _good(
        f"手: {n} の入力はすべて規則に合い、指しなおしました",
        f"moves: all {n} inputs are legal, and were played again",
    )
    yield _end(record, again.game.outcome(state))


def _end(record: Record, outcome: Outcome | None) -> Finding:
    if canonical(to_plain(outcome)) != canonical(record.outcome):
        if outcome is None:
            return _bad(
                "結果: 記録には結果がありますが、対局はまだ終わりません",
                "outcome: the record has one, but the game does not end with these moves",
            )
        ranks = _ranks(outcome)
        return _bad(
            f"結果: 指しなおした結果は記録と違います（{ranks.ja}）",
            f"outcome: not as the record says; played again it is: {ranks.en}",
        )
    if outcome is None:
        return _good(
            "結果: まだ終わっていない対局で、比べるものがありません",
            "outcome: the game was not over, so there is none to compare",
        )
    ranks = _ranks(outcome)
    return _good(
        f"結果: 記録のとおり（{ranks.ja}）",
        f"outcome: as the record says ({ranks.en})",
    )


def _ranks(outcome: Outcome) -> Text:
    return Text(
        "、".join(f"{r.rank} 位 席 {r.seat} {r.score} 点" for r in outcome.ranking),
        ", ".join(f"{r.rank}. seat {r.seat} with {r.score}" for r in outcome.ranking),
    )


# --- the command ---------------------------------------------------------------------------------


def _hex(text: str, least: int, most: int) -> str:
    lower = text.strip().lower()
    if not least <= len(lower) <= most or len(lower) % 2 or not set(lower) <= _HEX:
        raise click.BadParameter(f"{text!r}: {least}-{most} hex digits / 16 進数")
    return lower


def _nonce(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[int, str]:
    nonces: dict[int, str] = {}
    for text in values:
        seat, found, told = text.partition("=")
        if not found or not seat.isascii() or not seat.isdecimal() or len(seat) > 2:
            raise click.BadParameter(f"{text!r}: SEAT=HEX")
        nonces[int(seat)] = _hex(told, 32, 128)
    return nonces


def _commitment(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    return None if value is None else _hex(value, 64, 64)


def read_file(path: Path) -> bytes:
    """Return a file's bytes, no more than shows that it is too large.

    Raises:
        OSError, ValueError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def load_games_or_exit(packs: Path | None, language: str) -> Games:
    """Return the games with the packs of a folder; where they have faults, tell them and exit."""
    from kaguraden_protocol.limits import Limits

    from .packs import PackError, load_games

    try:
        return load_games("" if packs is None else str(packs), Limits())
    except PackError as error:
        tell(error.lines, language, err=True)
        sys.exit(UNREADABLE)


@click.command(short_help="Check the record of a game. 対局の記録を検証する")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option(
    "--packs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of card packs that the game was played with, if any.",
)
@click.option(
    "--commitment",
    metavar="HEX",
    callback=_commitment,
    help="The commitment that you were shown before the game.",
)
@click.option(
    "--nonce",
    "nonces",
    multiple=True,
    metavar="SEAT=HEX",
    callback=_nonce,
    help="The nonce that you sent; seats count from 0, as in the file.",
)
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
def verify(
    files: tuple[Path, ...],
    packs: Path | None,
    commitment: str | None,
    nonces: Mapping[int, str],
    lang: str | None,
) -> None:
    """Check records of games: deal each again, play every move again, and compare.

    Says line by line what was checked. Files come from `replay`, from DIR/replays of a server and
    from `kaguraden journal export`. The status is 0 if all is well, 1 if a record is not right, 2
    if a file cannot be read.
    """
    language = lang or locale_language()
    games = load_games_or_exit(packs, language)
    told = Told(commitment, nonces)
    status = 0
    for path in files:
        name = for_terminal(str(path))
        try:
            data = read_file(path)
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            tell([Text(f"{name}: 読めません: {why}", f"{name}: {why}")], language, err=True)
            status = UNREADABLE
            continue
        click.echo(f"{name}:")
        good = True
        for finding in _guarded(data, games, told):
            good = good and finding.ok
            tell([finding.line], language)
        if good:
            tell([Text("正しい記録です。", "This record is right.")], language)
        else:
            tell([Text("正しい記録ではありません。", "This record is not right.")], language)
            status = max(status, FAULTS)
    if status:
        sys.exit(status)


def _guarded(data: bytes, games: Games, told: Told) -> Iterator[Finding]:
    """Check a record; a fault of ours becomes a finding, for the file may come from anybody."""
    try:
        yield from check_record(data, games, told)
    except Exception as error:
        kind = type(error).__name__
        yield _bad(
            f"この検査の不具合: {kind}。記録を添えて知らせてください",
            f"a fault of this check: {kind}; please report it with the record",
        )
