"""What a scoring term says, in words made from its data (OD-189).

Clients show these sentences beside a card's own text, so that nobody need trust that text.
"""

from __future__ import annotations

from kaguraden_rules.kernel import Text
from kaguraden_rules.odoriko.card import Each, Kind, Match, Measure, Scope, ScoreTerm, Zone
from kaguraden_rules.odoriko.faces import Colour, Suit

__all__ = ["term_text"]

_SCOPES = {
    Scope.OWN: ("自身の", "your "),
    Scope.OTHERS: ("他者の", "others' "),
    Scope.WHOLE: ("全体の", "all "),
    Scope.UNSCOPED: ("", "any "),
}
_ZONES = {
    Zone.SONG: ("歌の場", "song fields", "song field"),
    Zone.DANCE: ("踊りの場", "dance fields", "dance field"),
    Zone.FIELDS: ("場", "fields", "field"),
    Zone.DISCARD: ("捨て札", "discard piles", "discard pile"),
    Zone.HAND: ("手札", "hands", "hand"),
}
_KINDS = {
    Kind.RESOURCE: ("資源カード", "resource card"),
    Kind.SPECIAL: ("特殊カード", "special card"),
    Kind.CHARACTER: ("キャラクターカード", "character card"),
    Kind.EVENT: ("イベントカード", "event card"),
}
_SUITS = {
    Suit.SPADE: ("スペード", "spade"),
    Suit.HEART: ("ハート", "heart"),
    Suit.DIAMOND: ("ダイヤ", "diamond"),
    Suit.CLUB: ("クラブ", "club"),
}
_COLOURS = {Colour.RED: ("歌のカード", "song card"), Colour.BLACK: ("踊りのカード", "dance card")}


def term_text(term: ScoreTerm) -> Text:
    """Say what a term counts and what it gives."""
    ja_where, en_where = _where(term)
    ja_what, en_what = _what(term.match, "" if isinstance(term.worth, Each) else "s")
    if isinstance(term.worth, Each):
        vp = f"{term.worth.vp:+d}"
        return Text(f"{ja_where}{ja_what} 1枚につき{vp}", f"{vp} for each {en_what} {en_where}")
    vp, least = f"{term.worth.vp:+d}", term.worth.at_least
    if term.worth.measure is Measure.TREE:
        return Text(
            f"{ja_where}{ja_what}の樹が{least}以上：{vp}",
            f"{vp} if the tree of {en_what} {en_where} is {least} or more",
        )
    return Text(
        f"{ja_where}{ja_what} {least}枚以上：{vp}",
        f"{vp} if there are {least} or more {en_what} {en_where}",
    )


def _where(term: ScoreTerm) -> tuple[str, str]:
    ja_scope, en_scope = _SCOPES[term.scope]
    ja_zone, many, one = _ZONES[term.zone]
    has_one = term.scope is Scope.UNSCOPED or (
        term.scope is Scope.OWN and term.zone is not Zone.FIELDS
    )
    zone = one if has_one else many
    preposition = "in" if term.zone in (Zone.HAND, Zone.DISCARD) else "on"
    return f"{ja_scope}{ja_zone}の", f"{preposition} {en_scope}{zone}"


def _what(match: Match, plural: str) -> tuple[str, str]:
    if match.is_empty:
        return "カード", f"card{plural}"
    ja, en = _noun(match, plural)
    details_ja, details_en = [], []
    if match.rank:
        ja, en = (
            f"{'・'.join(match.rank)}のカード",
            " or ".join(f"{rank}{plural}" for rank in match.rank),
        )
    if match.suit:
        names = [_SUITS[suit] for suit in match.suit]
        ja = f"{'・'.join(n[0] for n in names)}のカード"
        en = " or ".join(n[1] + plural for n in names)
    if match.min is not None or match.max is not None:
        low = "" if match.min is None else f"{match.min}以上"
        high = "" if match.max is None else f"{match.max}以下"
        details_ja.append(f"値{low}{high}の")
        bounds = (match.min is not None and f"{match.min} or more") or ""
        if match.max is not None:
            bounds += f"{' and ' if bounds else ''}{match.max} or less"
        details_en.append(f" of value {bounds}")
    if match.fc is not None:
        details_ja.append("ＦＣの" if match.fc else "ＦＣ以外の")
        details_en.append(
            " that is a first character" if match.fc else " that is no first character"
        )
    if match.this is not None:
        details_ja.append("この" if match.this else "これ以外の")
        details_en.append(" (this one)" if match.this else " (other than this one)")
    if match.id:
        details_ja.append(f"「{'・'.join(match.id)}」の")
        details_en.append(f" named {' or '.join(match.id)}")
    return "".join(details_ja) + ja, en + "".join(details_en)


def _noun(match: Match, plural: str) -> tuple[str, str]:
    if match.colour is not None:
        ja, en = _COLOURS[match.colour]
        return ja, en + plural
    kinds = match.kind
    if not kinds and (match.min is not None or match.max is not None):
        kinds = (Kind.RESOURCE,)
    if not kinds:
        return "カード", f"card{plural}"
    names = [_KINDS[kind] for kind in kinds]
    return "・".join(n[0] for n in names), " or ".join(n[1] + plural for n in names)
