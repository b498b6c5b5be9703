"""The table of a run, for people in their language, or as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kaguraden_protocol.text import for_terminal

from .clause import Result, Verdict
from .texts import dump

__all__ = ["as_json", "row", "summary"]

ID_CELLS: Final = 28
WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "ja": {
        Verdict.PASSED: "合格  ",
        Verdict.FAILED: "不合格",
        Verdict.NOT_DONE: "未対応",
        Verdict.SKIPPED: "省略  ",
        "sent": "送信",
        "expected": "期待",
        "came": "結果",
        "total": "合格 {passed}、不合格 {failed}、未対応 {not_done}、省略 {skipped}",
        "right": "仕様どおりです。",
        "wrong": "仕様と違うところがあります。",
        "nothing": "何も試せませんでした。",
    },
    "en": {
        Verdict.PASSED: "passed  ",
        Verdict.FAILED: "FAILED  ",
        Verdict.NOT_DONE: "not done",
        Verdict.SKIPPED: "skipped ",
        "sent": "sent    ",
        "expected": "expected",
        "came": "came    ",
        "total": "{passed} passed, {failed} failed, {not_done} not done, {skipped} skipped",
        "right": "It does what the specification asks.",
        "wrong": "It is not as the specification says.",
        "nothing": "Nothing could be tried.",
    },
}


def row(result: Result, lang: str) -> list[str]:
    """Return the lines of one clause: its row, and if it does not hold, what happened."""
    words, clause = WORDS[lang], result.clause
    text = clause.ja if lang == "ja" else clause.en
    lines = [f"{words[result.verdict]}  §{clause.section:<2}  {clause.id:<{ID_CELLS}}  {text}"]
    if result.verdict is Verdict.SKIPPED:
        lines.append(f"      ({result.why[0 if lang == 'ja' else 1]})")
    if result.verdict in (Verdict.FAILED, Verdict.NOT_DONE):
        for name in ("sent", "expected", "came"):
            said = getattr(result, name)
            if said:
                lines.append(f"      {words[name]}  {for_terminal(said)}")
    return lines


def summary(results: Sequence[Result], lang: str) -> list[str]:
    """Return the lines below the table."""
    count = Counter(result.verdict for result in results)
    numbers = {verdict.name.lower(): count[verdict] for verdict in Verdict}
    words = WORDS[lang]
    told = "wrong" if count[Verdict.FAILED] else "right"
    if count[Verdict.SKIPPED] == len(results):
        told = "nothing"
    return ["", words["total"].format(**numbers), words[told]]


def as_json(results: Iterable[Result]) -> str:
    """Return the whole run as one JSON object."""
    clauses = [
        {
            "id": result.clause.id,
            "section": result.clause.section,
            "level": result.clause.level.value,
            "text": {"ja": result.clause.ja, "en": result.clause.en},
            "verdict": result.verdict.value,
            "ms": round(result.seconds * 1000),
            **({"sent": result.sent} if result.sent else {}),
            **({"expected": result.expected, "came": result.came} if result.expected else {}),
            **(
                {"why": dict(zip(("ja", "en"), result.why, strict=True))} if any(result.why) else {}
            ),
        }
        for result in results
    ]
    failed = sum(c["verdict"] == "failed" for c in clauses)
    # What a server sent may hold halves of surrogate pairs, which cannot be printed.
    return dump({"failed": failed, "clauses": clauses}).encode("utf-8", "replace").decode()
