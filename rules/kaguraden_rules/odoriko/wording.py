"""What a scoring term says, in words made from its data (OD-189).

Clients show these sentences beside a card's own text, so that nobody need trust that text.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TypeVar

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
_SPECIAL_COLOURS = {
    Colour.RED: ("赤の特殊カード", "red special card"),
    Colour.BLACK: ("黒の特殊カード", "black special card"),
}

E = TypeVar("E", bound=enum.StrEnum)


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
    """Say in both languages which cards a filter lets pass: what they are, then in detail."""
    ja, en = _noun(match, plural)
    details_ja, details_en = [], []
    if match.min is not None or match.max is not None:
        low = None if match.min is None else (f"{match.min}以上", f"{match.min} or more")
        high = None if match.max is None else (f"{match.max}以下", f"{match.max} or less")
        bounds = [bound for bound in (low, high) if bound is not None]
        details_ja.append(f"値{''.join(ja for ja, _ in bounds)}の")
        details_en.append(f" of value {' and '.join(en for _, en in bounds)}")
    if match.fc is not None:
        details_ja.append("FCの" if match.fc else "FC以外の")
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
    """Return what the cards are called: by rank and suit if the filter has them, or else by kind.

    Suits and colours are called as in the rulebook, which knows them of resource cards; only where
    the filter is for special cards that is said.
    """
    is_special = match.kind == (Kind.SPECIAL,)
    suits_ja, suits_en = _names(match.suit, _SUITS)
    if match.rank:
        ranks = " or ".join(f"{rank}{plural}" for rank in match.rank)
        if not match.suit:
            return f"{'・'.join(match.rank)}のカード", ranks
        of = " or ".join(f"{name}s" for name in suits_en)
        return f"{'・'.join(suits_ja)}の{'・'.join(match.rank)}", f"{ranks} of {of}"
    if match.suit:
        ja, en = ("特殊カード", " special card") if is_special else ("カード", "")
        return f"{'・'.join(suits_ja)}の{ja}", " or ".join(s + en + plural for s in suits_en)
    if match.colour is not None:
        ja, en = _SPECIAL_COLOURS[match.colour] if is_special else _COLOURS[match.colour]
        return ja, en + plural
    kinds = match.kind
    if not kinds and (match.min is not None or match.max is not None):
        kinds = (Kind.RESOURCE,)
    kinds_ja, kinds_en = _names(kinds, _KINDS) if kinds else (["カード"], ["card"])
    return "・".join(kinds_ja), " or ".join(name + plural for name in kinds_en)


def _names(words: Iterable[E], names: Mapping[E, tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the names of words in Japanese and in English."""
    found = [names[word] for word in words]
    return [ja for ja, _ in found], [en for _, en in found]
