"""Whether to come back after a connection ended, and after how long.

The close codes are those of protocol section 13. What is not in the table, an abnormal end
included, is a broken line: come back. The delay doubles with each attempt that failed and is
drawn at random below its bound, so that a hall full of clients does not knock all at once.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["ABNORMAL", "ComeBack", "Stop", "Verdict", "after_close", "delay_before"]

ABNORMAL: Final = 1006  # no close frame: the line broke, or nobody answered
BASE_DELAY: Final = 0.5  # seconds: the bound of the first delay
MAX_DELAY: Final = 30.0  # seconds: long enough to spare a server, short enough to wait for


@frozen
class ComeBack:
    """Connect again, not before `least` seconds and at random within `spread` more."""

    least: float = 0.0
    spread: float = 0.0


@frozen
class Stop:
    """Do not connect again; `reason` says why to a person, in Japanese and in English."""

    ja: str
    en: str


Verdict = ComeBack | Stop

_VERDICTS: Final[dict[int, Verdict]] = {
    1000: Stop("接続は正常に終わりました", "the connection was closed as it should be"),
    1002: Stop("プロトコル違反です", "one side broke the WebSocket protocol"),
    1003: Stop("サーバーがデータの形式を拒みました", "the server refused the kind of data sent"),
    1007: Stop("サーバーが文字コードを拒みました", "the server refused the text encoding"),
    1009: Stop("送信が大きすぎました", "what was sent is too large for the server"),
    1011: ComeBack(),
    1012: ComeBack(spread=5.0),
    4000: Stop("サーバーが不正な送信として切断しました", "the server closed for protocol abuse"),
    4001: Stop("挨拶が間に合いませんでした", "the server saw no hello in time"),
    4003: ComeBack(),
    4004: Stop("別の接続がこの席を引き継ぎました", "another connection took this place over"),
    4005: Stop(
        "サーバーに拒まれたか退席させられました", "the server refused or removed this client"
    ),
    4006: ComeBack(least=30.0),
}


def after_close(code: int, reason: str = "") -> Verdict:
    """Return what to do after a connection ended with a close code and its reason text."""
    verdict = _VERDICTS.get(code, ComeBack())
    if isinstance(verdict, Stop) and reason.startswith("resumable"):
        return ComeBack()  # the server says so itself, whatever the code
    return verdict


def delay_before(attempt: int, verdict: ComeBack, roll: float) -> float:
    """Return the seconds to wait before an attempt.

    Args:
        attempt: 1 for the first attempt after the connection ended.
        verdict: What the close code asks for.
        roll: A random number in [0, 1).
    """
    grown = min(BASE_DELAY * float(1 << min(attempt - 1, 16)), MAX_DELAY)
    return verdict.least + roll * max(grown, verdict.spread)
