"""What the seats are asked, in words for people."""

from __future__ import annotations

from collections.abc import Mapping

from kaguraden_rules.kernel import Text

__all__ = ["PROMPTS"]

PROMPTS: Mapping[str, Text] = {
    "order_bid": Text(
        "手番の順番のために減算する勝利ポイントを宣言してください。",
        "Declare how many VP you give up to choose your place in the turn order.",
    ),
    "janken": Text("ジャンケン！", "Janken: rock, paper or scissors?"),
    "place": Text("手番の順番を選んでください。", "Choose your place in the turn order."),
    "action": Text("手番行動を選んでください。", "Your turn: choose an action."),
    "event": Text(
        "イベントカードが使われました。特技で応じますか？",
        "An event is played. Answer it with a skill?",
    ),
    "k": Text(
        "Kが使われました。Qか特技で応じますか？",
        "A king is played. Answer it with a queen or a skill?",
    ),
    "trigger": Text(
        "カードが捨て札に送られました。特技を使いますか？",
        "Cards were discarded. React with a skill?",
    ),
    "free": Text("いつでも使える特技を使いますか？", "Use a skill that may be used at any time?"),
    "pick": Text("効果の対象を選んでください。", "Choose what the effect is about."),
    "holder_pick": Text(
        "自分のカードから選んでください。", "Choose among your own cards for the effect."
    ),
    "j": Text(
        "資源カードが捨てられました。Jで取りますか？",
        "Resource cards were discarded. Take one with a jack?",
    ),
    "a": Text(
        "売れ残りました。Aで手札に戻しますか？", "Your lot is unsold. Recover it with an ace?"
    ),
    "auction": Text("入札しますか？", "Bid in the auction?"),
    "payment": Text("支払うカードを選んでください。", "Choose the cards that you pay with."),
    "order_gain": Text(
        "手札に残すカードを選んでください。残りは捨て札になります。",
        "Choose which cards stay in your hand; the rest are discarded.",
    ),
    "keep": Text("場に残すキャラクターを選んでください。", "Choose the character that stays."),
}
