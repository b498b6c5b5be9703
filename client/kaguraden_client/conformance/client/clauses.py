"""The clauses for clients: each looks at what a client did in the script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from ..clause import Clause, Failed, Level, Registry, Result, Skipped, Verdict
from ..texts import dump
from .diary import Beat, Diary, Link
from .script import DROPS, RETRY_MS, SCENES

__all__ = ["CLIENT", "Check", "judge"]

Check: TypeAlias = Callable[[Diary], None]

CLIENT: Final[Registry[Check]] = Registry("C")
clause = CLIENT.clause

SLACK: Final = 0.05  # seconds by which clocks may differ


def judge(diary: Diary) -> list[Result]:
    """Return what came of every clause."""
    return [_try(clause, diary) for clause in CLIENT.clauses.values()]


def _try(clause: Clause[Check], diary: Diary) -> Result:
    broken = Verdict.FAILED if clause.level is Level.MUST else Verdict.NOT_DONE
    try:
        clause.try_it(diary)
    except Failed as failed:
        return Result(clause, broken, sent=failed.sent, expected=failed.expected, came=failed.came)
    except Skipped as skipped:
        return Result(clause, Verdict.SKIPPED, why=(skipped.ja, skipped.en))
    return Result(clause, Verdict.PASSED)


# --- what must never be ----------------------------------------------------------------------------


def _connected(diary: Diary) -> None:
    if not diary.links:
        raise Skipped("接続がありませんでした", "nobody connected")


def _never(name: str, section: int, *, ja: str, en: str, level: Level = Level.MUST) -> None:
    """Enter a clause that the script finds broken by itself."""

    @clause(name, section, ja=ja, en=en, level=level)
    def _check(diary: Diary) -> None:
        if fault := diary.faults.get(name):
            raise Failed(fault.expected, fault.came, fault.sent)
        _connected(diary)


_never(
    "subprotocol",
    2,
    ja="どの接続でもサブプロトコル kaguraden.v1 を提示する。",
    en="It offers the subprotocol kaguraden.v1 on every connection.",
)
_never(
    "text-frames",
    2,
    ja="文のフレームだけを送る。",
    en="It sends text frames only.",
)
_never(
    "requests",
    5,
    ja="仕様にある要求だけを、決められたフィールドで送る。",
    en="It sends requests of the specification only, with their fields.",
)
_never(
    "hello-first",
    4,
    ja="どの接続でも最初に一度だけ、10 秒以内に hello を送る。",
    en="It says hello first on every connection, within 10 s, and once.",
)
_never(
    "name",
    4,
    ja="名乗る名前は決まりに従う。",
    en="The name that it gives keeps to the rules of names.",
)
_never(
    "ids",
    3,
    ja="返信を待っている要求の id は使わない。",
    en="The id of a request is none that a request without a reply has.",
)
_never(
    "rate",
    14,
    ja="limits の回数を超えて送らない。",
    en="It keeps to the rate in limits.",
)
_never(
    "frame-size",
    14,
    ja="limits の大きさを超えるフレームを送らない。",
    en="It sends no frame over the size in limits.",
)
_never(
    "own-decisions",
    9,
    ja="自分が問われた decision にだけ答える。",
    en="It answers only decisions that it was asked.",
)
_never(
    "listed-options",
    8,
    ja="示された手から選ぶ。",
    en="It takes options that are listed.",
)
_never(
    "values",
    8,
    ja="value は手の示すとおりのものを付け、要らなければ付けない。",
    en="The value that it gives fits the option, and is absent where none is wanted.",
)
_never(
    "unknown-values",
    8,
    ja="value の型を知らない手は選ばない。",
    en="It takes no option whose value is of a type that it does not know.",
)
_never(
    "one-answer",
    9,
    ja="受け取られた答えと違う答えを、同じ decision に送らない。",
    en="It does not send another answer to a decision than the one that was accepted.",
)
_never(
    "stale-state",
    8,
    ja="もう開いていないと知らされた decision には答えない。",
    en="It does not answer a decision that it was told is no longer open.",
)
_never(
    "old-updates",
    8,
    ja="番号の古い update にある decision には答えない。",
    en="It does not act on an update whose number it has had.",
)
_never(
    "after-the-end",
    8,
    ja="outcome のあとは何も答えない。",
    en="It does not act after the outcome.",
)


# --- scenes ----------------------------------------------------------------------------------------


def _beat(diary: Diary, name: str) -> Beat:
    """Return a scene that was played.

    Raises:
        Skipped: It did not come to it.
    """
    beat = diary.beats.get(name)
    if beat is None:
        raise Skipped("そこまで進みませんでした", "it did not come to that")
    return beat


def _gets_over(name: str, scene: str, section: int, *, ja: str, en: str, sent: str) -> None:
    """Enter a clause that holds if the client answered the decision after something."""

    @clause(name, section, ja=ja, en=en)
    def _check(diary: Diary) -> None:
        if not _beat(diary, scene).is_answered:
            raise Failed("an act on the decision after it", "none", sent)


@clause(
    "plays",
    1,
    ja="席に着いて対局を始め、手を選ぶ。",
    en="It takes a seat, gets the game started, and chooses.",
)
def _plays(diary: Diary) -> None:
    if not diary.links:
        raise Failed("a connection", "none in time")
    if not diary.is_started:
        kinds = [came.request["type"] for came in diary.requests]
        raise Failed("create or join, ready, and start where it is host", kinds or "no request")
    if not _beat(diary, "plain").is_answered:
        raise Failed("an act on each decision, with every kind of value", "none in time")


_gets_over(
    "unknown-kinds",
    "unknown-kinds",
    3,
    ja="知らないフィールド、event、decision、手の kind を無視して続ける。",
    en="It ignores fields and kinds of events, decisions and options that it does not know.",
    sent="an event kit_comet, a decision kit_riddle with an option kit_strange",
)
_gets_over(
    "unknown-options",
    "unknown-values",
    8,
    ja="value の型を知らない手があれば、ほかの手を選ぶ。",
    en="Beside options with a value of an unknown type it chooses another.",
    sent="options with a value of type kit_colour, and one without value",
)
_gets_over(
    "unknown-pushes",
    "unknown-pushes",
    3,
    ja="知らないプッシュと notice の code を無視して続ける。",
    en="It ignores pushes and codes of notices that it does not know.",
    sent="pushes kit_weather and kit_silence, a notice kit_tea_time",
)
_gets_over(
    "unknown-codes",
    "unknown-code",
    3,
    ja="知らない code の error は、ただの拒否として扱う。",
    en="An error with a code that it does not know is a refusal and nothing more.",
    sent="error kit_too_windy, then another decision",
)
_gets_over(
    "wild-names",
    "wild-names",
    15,
    ja="とても長い名前や、制御文字のある名前と chat でも続ける。",
    en="It gets over names and chat that are very long or hold control characters.",
    sent="room and chat with such names",
)
_gets_over(
    "replaced",
    "replaced",
    9,
    ja="stale と言われたら、次の update の decision に答える。",
    en="After stale it goes by the next update.",
    sent="stale, as the decision was replaced by another",
)
_gets_over(
    "full",
    "full",
    8,
    ja="full の update は番号が小さくても受け取る。",
    en="It takes a full update whatever its number.",
    sent="a full update with seq 3, then seq 4",
)


@clause(
    "pong",
    2,
    ja="WebSocket の ping に答える。",
    en="It answers pings of WebSocket.",
)
def _pong(diary: Diary) -> None:
    if not _beat(diary, "pings").facts.get("pong"):
        raise Failed("a pong within 5 s", "none", "a ping")


@clause(
    "retry-after",
    12,
    ja="too_many_requests のあと、retry_after_ms がたつまで同じ要求を送らない。",
    en="After too_many_requests it does not send the request again before retry_after_ms.",
)
def _retry_after(diary: Diary) -> None:
    facts = _beat(diary, "too-many").facts
    if "again_at" in facts and "refused_at" in facts:
        waited = facts["again_at"] - facts["refused_at"]
        if waited < RETRY_MS / 1000 - SLACK:
            sent = f"too_many_requests with retry_after_ms {RETRY_MS}"
            raise Failed(
                f"at least {RETRY_MS} ms", f"the act again after {waited * 1000:.0f} ms", sent
            )


def _sends_again(name: str, scene: str, *, ja: str, en: str, section: int = 12) -> None:
    @clause(name, section, ja=ja, en=en, level=Level.SHOULD)
    def _check(diary: Diary) -> None:
        facts = _beat(diary, scene).facts
        if facts.get("fields") is None:
            raise Skipped("そこまで進みませんでした", "it did not come to that")
        if facts.get("again") != facts["fields"]:
            again = facts.get("again")
            raise Failed(
                f"again {dump(facts['fields'])}", dump(again) if again else "nothing", scene
            )


_sends_again(
    "again-later",
    "too-many",
    ja="too_many_requests で断られた要求は、あとでもう一度送る。",
    en="It sends a request that was refused with too_many_requests again, later.",
)
_sends_again(
    "again-unavailable",
    "unavailable",
    ja="unavailable なら、同じ要求をもう一度送る。",
    en="After unavailable it sends the same request again.",
)


@clause(
    "gap",
    8,
    ja="update の番号が抜けたら、最後の番号で sync する。",
    en="If a number of the stream is missing it asks with sync, with the last number it had.",
    level=Level.SHOULD,
)
def _gap(diary: Diary) -> None:
    facts = _beat(diary, "gap").facts
    last, synced = facts.get("last"), facts.get("synced")
    if not synced:
        raise Failed(f"sync with seq {last}", "no sync", f"seq {last}, then {(last or 0) + 2}")
    if synced[0] not in (None, last):
        raise Failed(f"sync with seq {last}", f"seq {synced[0]}", f"seq {last}, a gap")


@clause(
    "patch-hash",
    11,
    ja="patch を求めたなら、hash が合えば続け、合わなければ seq なしで sync する。",
    en="If it asked for patches it goes on where the hash is right, and syncs without seq where not.",
)
def _patch_hash(diary: Diary) -> None:
    facts = _beat(diary, "patched").facts
    if "tried" not in facts:
        raise Skipped("patch を求めませんでした", "it did not ask for patches")
    if facts["right"]:
        raise Failed("no sync where the hash is right", f"sync {facts['right']}", "patch and hash")
    if facts["wrong"] != [None]:
        came = f"sync {facts['wrong']}" if facts["wrong"] else "no sync"
        raise Failed("sync without seq", came, "a hash of another view")


# --- lost connections --------------------------------------------------------------------------------


def _comes_back(name: str, scene: str, *, ja: str, en: str, sent: str) -> None:
    @clause(name, 13, ja=ja, en=en, level=Level.SHOULD)
    def _check(diary: Diary) -> None:
        if not _beat(diary, scene).facts.get("back"):
            raise Failed("another connection", "none in time", sent)


_comes_back(
    "back-after-cut",
    "cut",
    ja="接続が切れたら戻ってくる。",
    en="It comes back when the connection broke without a close frame.",
    sent="(nothing: the connection was cut)",
)
_comes_back(
    "back-after-1012",
    "restarting",
    ja="1012 のあと戻ってくる。",
    en="It comes back after 1012.",
    sent="close 1012",
)
_comes_back(
    "back-after-1011",
    "internal",
    ja="1011 のあと戻ってくる。",
    en="It comes back after 1011.",
    sent="close 1011",
)
_comes_back(
    "back-after-4003",
    "too-slow",
    ja="4003 のあと戻ってくる。",
    en="It comes back after 4003.",
    sent="close 4003",
)


def _returns(diary: Diary) -> list[Link]:
    back = [link for link in diary.links[1:] if link.hello_at is not None]
    if not back:
        raise Skipped("戻ってきませんでした", "it did not come back")
    return back


@clause(
    "resume",
    10,
    ja="戻るときは、最後に受け取った token で resume する。",
    en="When it comes back it says hello with resume and the newest token.",
)
def _resume(diary: Diary) -> None:
    if fault := diary.faults.get("resume"):
        raise Failed(fault.expected, fault.came, "a lost connection")
    _returns(diary)


@clause(
    "sync",
    10,
    ja="戻ったら部屋ごとに sync する。",
    en="Having come back it syncs the room.",
)
def _sync(diary: Diary) -> None:
    for link in [link for link in _returns(diary) if link.is_resumed]:
        if not link.synced:
            raise Failed("sync", "none", "the ok to hello, with the room in rooms")


@clause(
    "sync-seq",
    10,
    ja="sync の seq は最後に受け取った番号（または無し）。",
    en="The seq of that sync is the last number it had, or there is none.",
)
def _sync_seq(diary: Diary) -> None:
    for link in [link for link in _returns(diary) if link.synced]:
        # What was sent just before the end may have been lost.
        if link.synced[0] not in (None, link.seen_before, link.seen_before - 1):
            raise Failed(f"sync with seq {link.seen_before}", f"seq {link.synced[0]}", "hello's ok")


@clause(
    "act-again",
    9,
    ja="ok の前に接続が切れた act は、戻ってから同じものを送り直す。",
    en="An act whose connection broke before the ok is sent again, the same.",
    level=Level.SHOULD,
)
def _act_again(diary: Diary) -> None:
    facts = _beat(diary, "between").facts
    if not facts.get("back"):
        raise Skipped("戻ってきませんでした", "it did not come back")
    if not facts.get("resent"):
        raise Failed(f"again {dump(facts['fields'])}", "nothing", "a connection lost before the ok")


@clause(
    "goes-on-after",
    10,
    ja="戻ったあと、対局を続ける。",
    en="Having come back it plays on.",
)
def _goes_on_after(diary: Diary) -> None:
    _returns(diary)
    for name in DROPS:
        beat = diary.beats.get(name)
        if beat is not None and beat.facts.get("back") and not beat.is_answered:
            raise Failed("an act on the decision after coming back", "none", name)


@clause(
    "stays-away",
    13,
    ja="戻ってはいけない code で終わったら、戻らない。",
    en="After a close code that says so it does not come back.",
)
def _stays_away(diary: Diary) -> None:
    beat = diary.beats.get("sent-away")
    if beat is None:
        raise Skipped("--end で code を選ぶと試します", "tried with --end and a code")
    if beat.is_done and beat.facts["links"]:
        raise Failed("no other connection", f"{beat.facts['links']} within 8 s", "the close")


# --- the end -----------------------------------------------------------------------------------------


@clause(
    "goes-on",
    1,
    ja="終局まで、またはこちらが接続を切るまで、答え続ける。",
    en="It goes on answering until the outcome, or until its connection is taken away.",
)
def _goes_on(diary: Diary) -> None:
    if fault := diary.faults.get("goes-on"):
        raise Failed(fault.expected, fault.came, fault.sent)
    if diary.is_over or diary.is_gone or diary.beats.get("sent-away"):
        return
    if not diary.is_started:
        raise Skipped("始まりませんでした", "it did not start")
    last = next(reversed(diary.beats), "the start")
    came = "it answered nothing any more" if diary.is_slow else "it hung up"
    raise Failed("acts until the outcome", f"{came} (scene {last} of {len(SCENES) + len(DROPS)})")


@clause(
    "ends-well",
    13,
    ja="自分から終えるときは、close フレームを送る。",
    en="Where it ends the connection itself it sends a close frame.",
    level=Level.SHOULD,
)
def _ends_well(diary: Diary) -> None:
    _connected(diary)
    for link in diary.links:
        if link.ended_by == "client" and link.code in (None, 1006):
            raise Failed("a close frame, 1000 or 1001", "none", f"connection {link.number}")
