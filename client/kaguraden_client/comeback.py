"""Whether to come back after a connection ended, and after how long.

The close codes are those of protocol section 13. A code of a later version says by its reason
whether to come back; anything else, an abnormal end included, is a broken line: come back. The
delay doubles with each attempt that failed and is drawn at random below its bound, so that a hall
full of clients does not knock all at once.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen
from kaguraden_protocol.errors import CloseCode

__all__ = [
    "ABNORMAL",
    "PROTOCOL_ERROR",
    "ComeBack",
    "Stop",
    "Verdict",
    "after_close",
    "delay_before",
]

PROTOCOL_ERROR: Final = 1002  # of WebSocket; libraries close with it
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
    CloseCode.NORMAL: Stop("接続は正常に終わりました", "the connection was closed as it should be"),
    PROTOCOL_ERROR: Stop("プロトコル違反です", "one side broke the WebSocket protocol"),
    CloseCode.BINARY: Stop(
        "サーバーがデータの形式を拒みました", "the server refused the kind of data sent"
    ),
    CloseCode.INVALID_UTF8: Stop(
        "サーバーが文字コードを拒みました", "the server refused the text encoding"
    ),
    CloseCode.TOO_LARGE: Stop("送信が大きすぎました", "what was sent is too large for the server"),
    CloseCode.INTERNAL: ComeBack(),
    CloseCode.RESTARTING: ComeBack(spread=5.0),
    CloseCode.ABUSE: Stop(
        "サーバーが不正な送信として切断しました", "the server closed for protocol abuse"
    ),
    CloseCode.NO_HELLO: Stop("挨拶が間に合いませんでした", "the server saw no hello in time"),
    CloseCode.TOO_SLOW: ComeBack(),
    CloseCode.TAKEN_OVER: Stop(
        "別の接続がこの席を引き継ぎました", "another connection took this place over"
    ),
    CloseCode.REFUSED: Stop(
        "サーバーに拒まれたか退席させられました", "the server refused or removed this client"
    ),
    CloseCode.RATE: ComeBack(least=30.0),
}
_OF_THE_SERVER: Final = range(4000, 5000)  # codes that only the server itself gives
_ENDED: Final = Stop("サーバーが接続を終えました", "the server ended the connection")


def after_close(code: int, reason: str = "") -> Verdict:
    """Return what to do after a connection ended with a close code and its reason text."""
    verdict = _VERDICTS.get(code)
    if verdict is None:
        verdict = _ENDED if code in _OF_THE_SERVER else ComeBack()
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
