"""From the values of a TOML file to cards: the grammar of card data, and what makes no sense in it.

Each function reads one kind of table of OD-180 to OD-187 and notes every fault with its code of
OD-188. Faults of form come from `reading`; those of meaning (V-07 to V-13) are found here, and only
in parts that have no fault of form, so that one slip is told once.
"""

from __future__ import annotations

from collections.abc import Mapping

from kaguraden_rules.kernel import CardId, Text
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.effects import Bearer, read_conditions, read_costs, read_ops
from kaguraden_rules.odoriko.filters import read_id, read_match, read_term
from kaguraden_rules.odoriko.reading import Node, Table

__all__ = ["read_file"]

FORMAT = 1
ROMAN_PATTERN = r"[a-z0-9_]{1,40}"
ROMAN_WORDS = "1 to 40 small letters, digits or underscores"
RESERVED_IDS = frozenset({"starter"})  # words that stand for something else in a deck request
MAX_CARDS = 500  # of one file; a set is a box of cards, not an archive
MAX_NO = 9999
MAX_NAME = 80  # characters
MAX_TEXT = 400


def read_file(node: Node) -> c.CardSet:
    """Read the top of a file; its report has the faults."""
    report = node.report
    table = node.table(("set", "card"), ("format",))
    number = table.get("format")
    if number is None and isinstance(node.value, dict):
        report.add("V-01", "format", f"format = {FORMAT}")
    elif number is not None and (type(number.value) is not int or number.value != FORMAT):
        number.fault("V-01", f"format {FORMAT}")
    set_id = read_id(table.get("set"))
    cards: list[c.Card] = []
    ids: set[str] = set()
    listed = table.get("card")
    for entry in () if listed is None else listed.items(1, MAX_CARDS):
        named = entry.peek("id")
        raw = named.value if named is not None else None
        report.card = raw if isinstance(raw, str) else None
        if (card := _read_card(entry)) is None:
            continue
        if card.id and card.id in ids:
            report.add("V-05", f"{entry.path}.id", "an id of its own", card.id)
        ids.add(card.id)
        cards.append(card)
    report.card = None
    return c.CardSet(set_id, tuple(cards))


# --- cards -------------------------------------------------------------------------------------


def _read_card(node: Node) -> c.Card | None:
    kind_node = node.peek("kind")
    faults = len(node.report.faults)
    kind = None if kind_node is None else kind_node.choice((c.Kind.CHARACTER, c.Kind.EVENT))
    if len(node.report.faults) > faults:
        return None
    required, optional = ("id", "kind", "name"), ("no", "text")
    match kind:
        case c.Kind.CHARACTER:
            t = node.table(required, (*optional, "score", "skill"), forbidden=("play",))
            score, skill = t.get("score"), t.get("skill")
            terms = () if score is None else tuple(read_term(n) for n in score.items(0, 6))
            has_skill = None if skill is None else _read_skill(skill)
            return c.Character(
                *_read_common(t), score=terms, skill=has_skill, no=t.integer("no", 0, MAX_NO, None)
            )
        case c.Kind.EVENT:
            t = node.table((*required, "play"), optional, forbidden=("score", "skill"))
            card_id, name, text = _read_common(t)
            play = t.get("play")
            does = c.Play(()) if play is None else _read_play(play)
            return c.EventCard(card_id, name, does, text, t.integer("no", 0, MAX_NO, None))
        case _:
            node.table(required, (*optional, "score", "skill", "play"))
            return None


def _read_common(t: Table) -> tuple[CardId, c.Name, Text | None]:
    name, text = t.get("name"), t.get("text")
    node = t.get("id")
    card_id = read_id(node)
    if node is not None and card_id in RESERVED_IDS:
        node.fault("V-05", "an id that is not reserved")
    return (
        CardId(card_id),
        c.Name("", "") if name is None else _read_name(name),
        None if text is None else _read_text(text, MAX_TEXT),
    )


def _read_text(node: Node, most: int, *more: str) -> Text:
    """Read a text in one language or both; the one stands in for the other."""
    t = node.table(optional=("ja", "en", *more))
    ja, en = t.get("ja"), t.get("en")
    if ja is None and en is None and isinstance(node.value, dict):
        node.fault("V-15", "a text in ja or en")
    japanese = "" if ja is None else ja.prose(most)
    english = "" if en is None else en.prose(most)
    return Text(japanese or english, english or japanese)


def _read_name(node: Node) -> c.Name:
    text = _read_text(node, MAX_NAME, "roman")
    roman = node.peek("roman")
    return c.Name(
        text.ja, text.en, None if roman is None else roman.matching(ROMAN_PATTERN, ROMAN_WORDS)
    )


def _read_skill(node: Node) -> c.Skill:
    faults = len(node.report.faults)
    t = node.table(("name", "timing", "do"), ("on", "match", "if", "cost", "limit"))
    name, on_node = t.get("name"), t.get("on")
    timing = t.choice("timing", c.Timing, c.Timing.ACTION)
    on = t.choice("on", c.AnswerTo, None)
    match = read_match(t.get("match"))
    fitting = _ANSWERS[timing]
    if len(node.report.faults) == faults:
        if on is None and timing in (c.Timing.EVENT, c.Timing.SPECIAL_CARD):
            on = fitting[0]  # the only thing that the timing answers
        elif on_node is not None and on not in fitting:
            allowed = ", ".join(fitting) or "no on"
            on_node.fault("V-09", f"{allowed} with timing {timing}")
        filtered = t.get("match")
        if filtered is not None and on in (None, c.AnswerTo.EVENT_DECLARED):
            filtered.fault("V-09", "match only where K or a discarded card is answered")
        elif filtered is not None and timing is c.Timing.SPECIAL and match.this:
            filtered.fault("V-11", "a card other than this one: it is off its field by then")
    bearer = Bearer(False, timing, on, match)
    do = read_ops(t.get("do"), bearer)
    skill = c.Skill(
        c.Name("", "") if name is None else _read_name(name),
        timing,
        do,
        on,
        match,
        read_conditions(t.get("if"), bearer),
        read_costs(t.get("cost"), bearer),
        t.choice("limit", c.Limit, None),
    )
    if len(node.report.faults) == faults and skill.is_free and skill.limit is None:
        first = do[0]
        if not (isinstance(first, c.Discard) and first.pick is None):
            node.fault("V-10", "a free skill that discards itself first, or a limit")
    return skill


_ANSWERS: Mapping[c.Timing, tuple[c.AnswerTo, ...]] = {
    c.Timing.ACTION: (),
    c.Timing.EVENT: (c.AnswerTo.EVENT_DECLARED,),
    c.Timing.SPECIAL_CARD: (c.AnswerTo.K_DECLARED,),
    c.Timing.SPECIAL: (c.AnswerTo.CHARACTER_DISCARDED, c.AnswerTo.RESOURCE_DISCARDED),
}


def _read_play(node: Node) -> c.Play:
    t = node.table(("do",), ("if", "cost"))
    bearer = Bearer(True)
    return c.Play(
        read_ops(t.get("do"), bearer),
        read_conditions(t.get("if"), bearer),
        read_costs(t.get("cost"), bearer),
    )
