"""What the notes pane says."""

from __future__ import annotations

from .words import add

__all__: list[str] = []

add(
    {
        "key.notes": ("推理メモ", "notes"),
        "key.mark": ("印を替える", "mark"),
        "key.unmark": ("印を消す", "clear"),
        "key.write": ("一行書く", "write"),
        "notes.title": ("推理メモ", "your notes"),
        "notes.none": ("まだ書くことがありません。", "There is nothing to note down yet."),
        "notes.private": (
            "この端末の中だけにあり、誰にも送られません。",
            "They stay in this terminal and are sent to nobody.",
        ),
        "notes.legend": (
            "■わかっている ×違う ?怪しい ●確信 ·わからない",
            "■ known × excluded ? suspected ● sure · unknown",
        ),
        "notes.cell": ("{who}は{role}か: {mark}", "{who} as {role}: {mark}"),
        "notes.mark.known": ("わかっている", "known"),
        "notes.mark.known_not": ("違うとわかっている", "known not to be"),
        "notes.mark.unknown": ("わからない", "unknown"),
        "notes.mark.excluded": ("違う", "excluded"),
        "notes.mark.suspected": ("怪しい", "suspected"),
        "notes.mark.sure": ("確信", "sure"),
        "notes.line": ("{who}について", "about {who}"),
        "notes.said": ("{who}: {what}", "{who}: {what}"),
        "notes.plain": ("n: 推理メモ", "n: your notes"),
        "notes.plain.help": (
            "メモの書き方: n 席の番号 ロールの番号 印（? わからない、x 違う、s 怪しい、o 確信）、または n 席の番号 = 文。ロール: {roles}",
            "To note: n SEAT ROLE MARK, by numbers (marks: ? unknown, x excluded, s suspected, o sure), or n SEAT = TEXT. Roles: {roles}",
        ),
        "notes.plain.bad": ("メモがわかりません: {what}", "that is no note: {what}"),
        "notes.plain.fixed": (
            "それはもうわかっています: {what}",
            "that is known already: {what}",
        ),
    }
)
