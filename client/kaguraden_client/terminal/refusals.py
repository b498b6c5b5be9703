"""Why the server refused something, in the user's language.

The server writes its texts in the language that the session began in, and F2 changes only what is
drawn here. So a refusal is told from its code and its details; the server's own text stands in for
a code that this client does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..reading import Json, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from .text import clean
from .words import Lang, add, has, say

__all__ = ["problems_in", "refusal"]

_CODED: Final = re.compile(r"(SC-[A-Z]+): .*", re.DOTALL)  # of a share code
_BAD_BOOK: Final = re.compile(r"(E-[A-Z]+): (.*)", re.DOTALL)
_RANGE: Final = re.compile(r"(?:from |expected )(-?\d+) to (-?\d+)")
_ONE_OF: Final = re.compile(r"(?:expected )?one of (.*)")


def refusal(lang: Lang, code: str, message: str, details: Mapping[str, Json]) -> str:
    """Return why something was refused."""
    key = f"code.{code}"
    if not has(key):
        return clean(message)
    parts = _parts(lang, code, details)
    if not parts:
        return say(lang, key)
    return say(
        lang, "refusal.because", why=say(lang, key), parts=say(lang, "list.semicolon").join(parts)
    )


def problems_in(lang: Lang, details: Mapping[str, Json]) -> list[str]:
    """Return what is wrong with options or a deck, one text for each fault."""
    return [_problem(lang, problem) for problem in dicts_in(details.get("problems"))]


def _parts(lang: Lang, code: str, details: Mapping[str, Json]) -> list[str]:
    """Return the details of a refusal in words, as far as they are known."""
    comma = say(lang, "list.comma")
    match code:
        case "unsupported":
            return [
                say(lang, f"there_are.{key}", names=comma.join(map(clean, as_texts(details[key]))))
                for key in ("games", "levels")
                if as_texts(details.get(key))
            ]
        case "not_ready":
            return [
                say(lang, f"not_ready.{key}", seats=comma.join(str(n + 1) for n in seats))
                for key in ("empty", "unready")
                if (seats := ints_in(details.get(key)))
            ]
        case "limit_reached" if has_int(details.get("limit")):
            key = f"limit.{as_str(details.get('what'))}"
            return [say(lang, key if has(key) else "limit", limit=details["limit"])]
        case "room_full" if has_int(details.get("taken")) and has_int(details.get("seats")):
            return [f"{details['taken']}/{details['seats']}"]
        case "too_many_requests" if (wait := as_int(details.get("retry_after_ms"))) > 0:
            return [say(lang, "time.seconds", n=-(-wait // 1000))]
        case "internal" if reference := as_str(details.get("reference")):
            return [say(lang, "internal.reference", reference=clean(reference))]
        case "bad_options" | "bad_deck":
            return problems_in(lang, details)
    return []


def _problem(lang: Lang, problem: Mapping[str, Json]) -> str:
    """Return what is wrong with an option: what the server says, in our words where we can."""
    name = clean(as_str(problem.get("path")).removeprefix("$").lstrip("."))
    if has(f"form.{name}"):  # what a table has in every game is called as in the form
        name = say(lang, f"form.{name}")
    text = as_str(problem.get("problem"))
    if text.startswith(("no such option", "unknown setting")):
        return say(lang, "problem.unknown", name=name)
    if found := _RANGE.search(text):
        return say(lang, "problem.range", name=name, low=found[1], high=found[2])
    if found := _ONE_OF.fullmatch(text):
        return say(lang, "problem.one_of", name=name, values=clean(found[1]))
    if (found := _CODED.fullmatch(text)) and has(f"fault.{found[1]}"):
        return say(lang, f"fault.{found[1]}")
    if found := _BAD_BOOK.fullmatch(text):
        return say(lang, "fault.book", code=found[1], what=clean(found[2]))
    if text.startswith("no such book"):
        return say(lang, "fault.no_book")
    return clean(f"{name}: {text}")


add(
    {
        "code.bad_name": ("その名前は使えません", "that name cannot be used"),
        "code.too_many_requests": (
            "操作が速すぎました。少し待ってもう一度",
            "that was too fast: wait a moment and try again",
        ),
        "code.limit_reached": ("上限に達しています", "the limit is reached"),
        "code.room_full": ("その卓は満席です", "that table is full"),
        "code.room_started": ("その卓の対局は始まっています", "the game at that table has begun"),
        "code.room_over": ("その卓の対局は終わりました", "the game at that table is over"),
        "code.not_seated": ("この卓の席に着いていません", "you have no seat at this table"),
        "code.not_over": ("対局はまだ続いています", "the game is not over yet"),
        "code.bad_deck": ("このデッキは使えません", "this deck cannot be played"),
        "code.stale": ("その問いはもう終わっています", "that question is over"),
        "code.illegal_option": ("その手は選べません", "that move cannot be chosen"),
        "code.bad_value": ("その値は使えません", "that value does not fit"),
        "code.not_your_decision": (
            "今はあなたの決める番ではありません",
            "you have nothing to decide now",
        ),
        "code.draining": ("サーバーがまもなく止まります", "the server is about to stop"),
        "code.unavailable": (
            "結果がわかりません。同じことをもう一度",
            "the outcome is unknown: do the same again",
        ),
        "code.internal": ("サーバーの不具合", "the server failed"),
        "notice.room_closing": (
            "卓 {room} はあと{seconds}秒で閉じます",
            "table {room} closes in {seconds} s",
        ),
        "notice.rematch": ("次の卓は {to} です", "the rematch is at table {to}"),
        "refusal.because": ("{why}（{parts}）", "{why} ({parts})"),
        "list.semicolon": ("；", "; "),
        "internal.reference": ("参照 {reference}", "reference {reference}"),
        "limit": ("{limit}", "{limit}"),
        "limit.rooms": ("サーバー全体で{limit}卓", "{limit} tables in all"),
        "limit.rooms_per_user": ("1人{limit}卓", "{limit} tables a player"),
        "limit.rooms_per_address": (
            "1つのアドレスから{limit}卓",
            "{limit} tables an address",
        ),
        "limit.spectators_per_room": ("1卓に観戦{limit}人", "{limit} watching a table"),
        "limit.connections_per_user": ("1人{limit}接続", "{limit} connections a player"),
        "limit.bots": ("サーバー全体でボット{limit}体", "{limit} bots in all"),
        "limit.bots_per_user": ("1人ボット{limit}体", "{limit} bots a player"),
    }
)
