"""What the server says to people, in Japanese and English: what is wrong and how much.

Texts are made from a code and its details alone, so they tell nothing that a program is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from kaguraden_protocol.errors import ErrorCode, NoticeCode

from . import problems

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = ["error", "notice"]

_E = ErrorCode
_ERRORS: Final[Mapping[str, tuple[str, str]]] = {
    _E.BAD_JSON: ("JSONとして読めません{problems}", "this is not JSON that can be read{problems}"),
    _E.BAD_MESSAGE: ("メッセージに誤りがあります{problems}", "the message has faults{problems}"),
    _E.UNKNOWN_TYPE: ("その種類の要求はありません", "there is no request of this type"),
    _E.HELLO_REQUIRED: ("最初に hello が必要です", "hello has to come first"),
    _E.ALREADY_OPEN: ("hello は済んでいます", "hello has been said already"),
    _E.BAD_NAME: ("その名前は使えません{problems}", "this name cannot be used{problems}"),
    _E.BAD_PASSWORD: ("合言葉が違います", "the password is wrong"),
    _E.TOO_MANY_REQUESTS: (
        "要求が多すぎます。{retry_after_ms} ミリ秒後にもう一度",
        "too many requests; try again in {retry_after_ms} ms",
    ),
    _E.LIMIT_REACHED: ("上限に達しています{what}", "the limit is reached{what}"),
    _E.ROOM_NOT_FOUND: ("卓 {room} はありません", "there is no table {room}"),
    _E.ROOM_FULL: (
        "卓 {room} は満席です({taken}/{seats})",
        "table {room} is full ({taken} of {seats})",
    ),
    _E.ROOM_STARTED: ("卓 {room} の対局は始まっています", "the game at table {room} has begun"),
    _E.ROOM_OVER: ("卓 {room} の対局は終わりました", "the game at table {room} is over"),
    _E.NOT_MEMBER: ("卓 {room} に入っていません", "you are not at table {room}"),
    _E.NOT_SEATED: ("卓 {room} の席に着いていません", "you have no seat at table {room}"),
    _E.NOT_HOST: ("卓 {room} の主催だけができます", "only the host of table {room} can do this"),
    _E.SEAT_TAKEN: ("席{seat}はふさがっています", "{seat} is taken"),
    _E.NOT_READY: ("まだ準備ができていません", "not everything is ready yet"),
    _E.BAD_OPTIONS: ("設定に誤りがあります{problems}", "the options have faults{problems}"),
    _E.BAD_DECK: ("このデッキは使えません{problems}", "this deck cannot be played{problems}"),
    _E.STALE: ("その決定はもう終わっています", "this decision is no longer open"),
    _E.ILLEGAL_OPTION: ("その選択肢はありません", "the decision has no such option"),
    _E.BAD_VALUE: ("選択肢の値が合いません", "the value does not fit the option"),
    _E.NOT_YOUR_DECISION: ("今はあなたの決める番ではありません", "you have nothing to decide now"),
    _E.NOT_OVER: ("卓 {room} の対局は続いています", "the game at table {room} is not over"),
    _E.DRAINING: ("サーバーは停止の準備中です", "the server is about to stop"),
    _E.UNAVAILABLE: (
        "結果を確かめられません。同じ要求を送り直してください",
        "the outcome is unknown; send the same again",
    ),
    _E.UNSUPPORTED: ("このサーバーにはありません{there}", "this server does not have that{there}"),
    _E.INTERNAL: (
        "サーバーの不具合です(参照 {reference})",
        "a fault of the server (reference {reference})",
    ),
}
_NOT_READY: Final[Mapping[str, tuple[str, str]]] = {
    "empty": ("空席: {seats}", "empty seats: {seats}"),
    "unready": ("準備中の席: {seats}", "seats not ready: {seats}"),
}
_WHY: Final[Mapping[str, tuple[str, tuple[str, str]]]] = {
    _E.ROOM_STARTED: (
        "quiet",
        (
            "競演のあいだ、演者は部屋で話せません",
            "players of a running race cannot talk in its room",
        ),
    ),
    _E.NOT_OVER: (
        "day",
        (
            "{day} の演目帖は、翌日の0時30分（日本時間）まで明かされません",
            "the challenge of {day} is not told before 00:30 of the next day, Japan time",
        ),
    ),
}
"""Texts of their own for a code whose details have a field."""
_LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "rooms": ("サーバー全体で {limit} 卓", "{limit} tables in all"),
    "rooms_per_user": ("1人 {limit} 卓", "{limit} tables a user"),
    "rooms_per_address": ("1つのアドレスから {limit} 卓", "{limit} tables an address"),
    "spectators_per_room": ("1卓に観戦者 {limit} 人", "{limit} spectators a table"),
    "connections_per_user": ("1人 {limit} 接続", "{limit} connections a user"),
    "bots": ("サーバー全体でボット {limit} 体", "{limit} bots in all"),
    "bots_per_user": ("1人ボット {limit} 体", "{limit} bots a user"),
}
_THERE: Final[Mapping[str, tuple[str, str]]] = {
    "games": ("あるゲーム: {names}", "games: {names}"),
    "levels": ("ボットの強さ: {names}", "levels of bots: {names}"),
}
_N = NoticeCode
_NOTICES: Final[Mapping[str, tuple[str, str]]] = {
    _N.DRAINING: (
        "サーバーを停止します。続いている対局もここで終わります",
        "the server is stopping; games in play end with it",
    ),
    _N.ROOM_CLOSING: (
        "卓 {room} はあと {seconds} 秒で閉じます",
        "table {room} closes in {seconds} s",
    ),
    _N.HOST_CHANGED: ("主催は {name} になりました", "{name} is the host now"),
    _N.REMATCH: ("次の卓は {to} です", "the rematch is at table {to}"),
    _N.DECK_DROPPED: (
        "設定が変わり、選んだデッキは使えなくなりました{problems}",
        "under the new options your deck cannot be played{problems}",
    ),
    _N.PAUSE: (
        "{wants}/{needs} 人が時計を止めたがっています",
        "{wants} of {needs} want the clocks stopped",
    ),
    _N.PAUSED: ("時計が止まりました", "the clocks are stopped"),
    _N.UNPAUSED: ("時計が動き出しました", "the clocks run again"),
    _N.ANNOUNCEMENT: ("サーバーから: {text}", "from the server: {text}"),
}


class _Details(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def error(code: str, details: Mapping[str, Json], locale: str) -> str:
    """Return what an error's code and details mean. Seats are numbered as people see them: from 1."""
    told: dict[str, object] = {}
    match code:
        case _E.BAD_NAME:
            why = problems.of_name(details, locale)
            told["problems"] = f": {why}" if why else ""
        case _E.BAD_OPTIONS | _E.BAD_DECK:
            told["problems"] = _after_colon(problems.of_fields(details, locale))
        case _E.LIMIT_REACHED:
            told["what"] = _limit(details, locale)
        case _E.UNSUPPORTED:
            told["there"] = _in_brackets(_listed_parts(_THERE, "names", details, locale))
        case _E.SEAT_TAKEN:
            seat = details.get("seat")
            anywhere = "" if locale == "ja" else "every seat"
            told["seat"] = _seat(seat, locale) if isinstance(seat, int) else anywhere
    because, own = _WHY.get(code, ("", ("", "")))
    if because in details:
        return _say({code: own}, code, details, locale)
    text = _say(_ERRORS, code, {**details, **told}, locale)
    if code == _E.NOT_READY:
        numbered = {key: _from_1(seats) for key, seats in details.items() if key in _NOT_READY}
        text += _in_brackets(_listed_parts(_NOT_READY, "seats", numbered, locale))
    return text


def notice(code: str, details: Mapping[str, Json], locale: str) -> str:
    """Return what a notice says."""
    told: dict[str, object] = {}
    if code == _N.DECK_DROPPED:
        told["problems"] = _after_colon(problems.of_fields(details, locale))
    return _say(_NOTICES, code, {**details, **told}, locale)


def _say(
    texts: Mapping[str, tuple[str, str]], code: str, details: Mapping[str, object], locale: str
) -> str:
    values = _Details(details)
    if not isinstance(values["problems"], str):
        values["problems"] = _after_colon(problems.of_message(cast("dict[str, Json]", details)))
    return _pick(texts.get(code, (code, code)), locale).format_map(values)


def _limit(details: Mapping[str, Json], locale: str) -> str:
    limit, what = details.get("limit"), str(details.get("what"))
    if limit is None:
        return ""
    plain = ("{limit}", "{limit}")
    return _in_brackets([_pick(_LIMITS.get(what, plain), locale).format(limit=limit)])


def _seat(seat: int, locale: str) -> str:
    return f" {seat + 1} " if locale == "ja" else f"seat {seat + 1}"


def _from_1(seats: Json) -> list[Json]:
    return [n + 1 for n in seats if isinstance(n, int)] if isinstance(seats, list) else []


def _listed_parts(
    texts: Mapping[str, tuple[str, str]], field: str, lists: Mapping[str, Json], locale: str
) -> list[str]:
    return [
        _pick(texts[key], locale).format(**{field: ", ".join(str(e) for e in entries)})
        for key, entries in lists.items()
        if key in texts and isinstance(entries, list) and entries
    ]


def _after_colon(parts: list[str]) -> str:
    return f": {'; '.join(parts)}" if parts else ""


def _in_brackets(parts: list[str]) -> str:
    return f" ({'; '.join(parts)})" if parts else ""


def _pick(pair: tuple[str, str], locale: str) -> str:
    return pair[0] if locale == "ja" else pair[1]
