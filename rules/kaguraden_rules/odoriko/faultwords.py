"""The Japanese of what faults in card files say (OD-188).

The code that finds a fault says in English what would be right; that text is its key here, with `{}`
where it puts something in. A test walks over that code and fails on a text that is not here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

__all__ = ["JAPANESE", "in_japanese"]

JAPANESE: Mapping[str, str] = {
    # files and sets
    "TOML": "TOML",
    "TOML in UTF-8": "UTF-8 の TOML",
    "a file of at most {} bytes": "{} バイトまでのファイル",
    "format {}": "format {}",
    "format = {}": "format = {}",
    "a set id of its own": "ほかのセットと違う id",
    "a set id of its own; {} has this one": "ほかのセットと違う id（これは {} にある）",
    "an id of its own": "ほかと重ならない id",
    "an id of its own; {} has this one": "ほかと重ならない id（これは {} にある）",
    "an id no other set has": "ほかのセットにない id",
    "an id that is not reserved": "予約されていない id",
    "an id: a small letter, then 1 to 31 small letters, digits or underscores": (
        "id（英小文字で始まり、英小文字・数字・下線が 1～31 文字続く）"
    ),
    "1 to 40 small letters, digits or underscores": "英小文字・数字・下線で 1～40 文字",
    "the game's set {}": "ゲームのセット {}",
    # values
    "a table": "テーブル",
    "true": "true",
    "true or false": "true か false",
    "a whole number from {} to {}": "{} から {} までの整数",
    "a number other than 0: this line would do nothing": "0 でない数（この行は何もしない）",
    "a list of {} to {} entries": "{} 個から {} 個までのリスト",
    "one of {}": "次のどれか: {}",
    "one of the texts {}": "次の文字列のどれか: {}",
    "one of the keys {}": "次のキーのどれか: {}",
    "the key {}": "キー {}",
    "no {} here; allowed: {}": "ここに {} は書けない。書けるのは {}",
    "exactly one of {}": "次のうちちょうど 1 つ: {}",
    "every word once": "同じ言葉は 1 度だけ",
    "a text of 1 to {} characters": "1 文字から {} 文字までの文",
    "a text without control and format characters": "制御文字や書式文字のない文",
    "a text with a visible character": "見える文字のある文",
    "a text with at most {} combining marks in a row": "結合文字の続きが {} 個までの文",
    "a text in ja or en": "ja か en の文",
    # scoring terms and filters
    "exactly one of each and at_least": "each と at_least のどちらか一方だけ",
    "no vp beside each": "each があれば vp は書かない",
    "vp beside at_least": "at_least には vp も書く",
    "at_least and vp with measure tree": "measure が tree なら at_least と vp",
    "zone song or dance with measure tree": "measure が tree なら zone は song か dance",
    "scope own with zone hand: other hands are hidden": (
        "zone が hand なら scope は own（ほかの人の手札は見えない）"
    ),
    "a filter that some card can match": "当てはまるカードのある条件",
    "no fc or this outside the fields: a card has no mark there": (
        "場の外では fc も this も書かない（そこに目印はない）"
    ),
    # skills
    "{} with timing {}": "timing が {1} なら {0}",
    "no on": "on なし",
    "match only where K or a discarded card is answered": (
        "match は K か捨てられたカードに応じる特技だけ"
    ),
    "a card other than this one: it is off its field by then": (
        "これ以外のカード（このカードはその時もう場にない）"
    ),
    "a free skill that discards itself first, or a limit": (
        "いつでも使える特技は、まず自身を捨てるか、limit を書く"
    ),
    "a character's skill: an event does not lie on a field": (
        "キャラクターの特技だけ（イベントは場に置かれない）"
    ),
    "no this in an event: it does not lie on a field": (
        "イベントに this は書かない（場に置かれない）"
    ),
    # costs
    "a cost that can be paid: this card does not lie there": (
        "払えるコスト（このカードはそこにない）"
    ),
    "a cost that can be paid: at most {} hand cards in all": "払えるコスト（手札は合わせて {} 枚まで）",
    "one cost on the fields at most": "場から払うコストは 1 つまで",
    # picks and effect lines
    "by holder with another seat's hand: it is hidden": (
        'ほかの席の手札なら by = "holder"（見えないため）'
    ),
    "a show line before a pick among shown cards": "shown から選ぶ前に show の行",
    "whose self with zone shown": "zone が shown なら whose は self",
    "by user: holders choose in discard, place and take alone": (
        "by は user（持ち主が選ぶのは discard と place と take だけ）"
    ),
    "whose each or each_other with by holder": "by が holder なら whose は each か each_other",
    "by holder with whose each or each_other": "whose が each か each_other なら by は holder",
    "holders only with by holder": "holders は by が holder の時だけ",
    "whose actor only where a card is answered": "whose が actor なのはカードに応じる時だけ",
    "exactly one of this = true and pick": "this = true と pick のどちらか一方だけ",
    "whose self or actor where holders choose": "持ち主が選ぶ時、whose は self か actor",
    "cards that may lie on that field": "その場に置けるカード",
    "n = 1 without upto in an exchange": "交換では n = 1 で、upto は書かない",
    "timing event or special_card: only their cards can be cancelled": (
        "timing が event か special_card の時だけ（打ち消せるのはそのカードだけ）"
    ),
    'on = "k_declared" with match = { kind = ["character"] }': (
        'on = "k_declared" と match = { kind = ["character"] }'
    ),
    'on = "{}" with this mark': 'この mark なら on = "{}"',
    # what stands there
    '"{} entries"': "{} 個",
    '"{} characters"': "{} 文字",
    "a longer one": "もっと長いもの",
    "a number of some thousand digits": "何千桁もの数",
}
_HINT = re.compile(r"(.*) \(did you mean (.*)\?\)", re.DOTALL)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what to look for, the most definite first: `one of the keys {}` before `one of {}`."""
    keys = sorted(JAPANESE, key=lambda key: len(key.replace("{}", "")), reverse=True)
    return tuple(
        (re.compile("(.+)".join(re.escape(part) for part in key.split("{}")), re.DOTALL), key)
        for key in keys
    )


def in_japanese(english: str) -> str:
    """Return a text of a fault in Japanese; what is no such text, such as a value, as it is."""
    if (hinted := _HINT.fullmatch(english)) is not None:
        return f"{in_japanese(hinted[1])}（{hinted[2]} のことですか）"
    if english in JAPANESE:
        return JAPANESE[english]
    for pattern, key in _patterns():
        if (found := pattern.fullmatch(english)) is not None:
            return JAPANESE[key].format(*map(in_japanese, found.groups()))
    return english
