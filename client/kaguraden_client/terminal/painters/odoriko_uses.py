"""Skills and events of odoriko in words: what a use pays and picks, windows, the stack.

An option of a use carries objects in its arguments: `pays` and `picks` are lists of cards, fields or
seats (`{seat, zone?, card?, kept?, to?}`). Their parts are steps of the menu, whose and where before
which, so that many targets are found through few entries at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kaguraden_protocol.messages import Option

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int
from ..menu import Step
from ..text import clean
from ..words import add
from .base import Context

__all__ = [
    "USES",
    "USE_MOVES",
    "answered_text",
    "cards_named",
    "choice_text",
    "named_text",
    "subjects",
    "use_path",
    "use_sentence",
    "use_text",
    "whereto",
    "window_text",
]

USES: Final = frozenset(["use_skill", "use_event", "choose"])
_FIELDS: Final = ("song", "dance")
_UNSEEN: Final = ("hand", "shown")  # zones that need no owner: there is one only


# --- cards, fields and seats that a use names -------------------------------------------------


def _zone(zone: str, ctx: Context) -> str:
    known = zone in ("hand", "pile", *_FIELDS)
    return ctx.say(f"odoriko.zone.{zone}") if known else clean(zone)


def _whose(seat: Json, what: str, ctx: Context) -> str:
    if not has_int(seat) or seat == ctx.me:
        return what
    return ctx.say("odoriko.use.of", who=ctx.name(seat, 14), what=what)


def whereto(to: Json, ctx: Context) -> str:
    """Return ` → ` and the field that a card is to be put on; nothing for one's own."""
    told = as_dict(to)
    seat, zone = told.get("seat"), as_str(told.get("zone"))
    if not has_int(seat) or seat == ctx.me:
        return ""
    return " → " + (_whose(seat, _zone(zone, ctx), ctx) if zone else ctx.name(seat, 14))


def named_text(named: Mapping[str, Json], ctx: Context) -> str:
    """Return what a use names: a card with its owner, a field, or a seat."""
    seat, zone, card = named.get("seat"), as_str(named.get("zone")), as_str(named.get("card"))
    if not card:
        if zone:
            return _whose(seat, _zone(zone, ctx), ctx)
        return ctx.name(as_int(seat, -1), 14)
    text = ctx.card_text(card)
    if zone == "pile":
        text = ctx.say("odoriko.use.in_pile", card=text)
    if zone not in _UNSEEN:
        text = _whose(seat, text, ctx)
    return text + whereto(named.get("to"), ctx)


def choice_text(label: str, ctx: Context) -> str:
    """Return a card of a list; where it may go to several fields its name says whereto: `6C>1`."""
    card, there, place = label.partition(">")
    if not there:
        return ctx.card_text(card)
    seat, _, zone = place.partition(":")
    who = ctx.name(int(seat), 14) if seat.isdecimal() and len(seat) < 3 else clean(seat)
    what = ctx.say("odoriko.use.of", who=who, what=_zone(zone, ctx)) if zone else who
    return f"{ctx.card_text(card)} → {what}"


def cards_named(option: Option) -> Iterator[str]:
    """Yield the cards that an option pays and picks."""
    for key in ("pays", "picks"):
        yield from (card for named in dicts_in(option.args.get(key)) if (card := as_str(named.get("card"))))  # fmt: skip


# --- the menu -----------------------------------------------------------------------------------


def use_path(option: Option) -> tuple[Step, ...]:
    """Return by which choices a use is reached: card, then whose and where, then what."""
    args = option.args
    steps: list[Step] = []
    if option.kind != "choose":
        steps.append(Step("kind", option.kind))
    steps += [Step(key, args[key]) for key in ("card", "zone") if key in args]
    steps += [Step(key, args[key]) for key in ("whose", "to") if key in args]
    for key in ("pays", "picks"):
        for named in dicts_in(args.get(key)):
            steps += _named_steps(named)
    return tuple(steps)


def _named_steps(named: Mapping[str, Json]) -> Iterator[Step]:
    zone = as_str(named.get("zone"))
    if zone not in _UNSEEN:
        yield Step("seat", named.get("seat"))
        if zone:
            yield Step("zone", zone)
    if named.get("card"):
        yield Step("card", named.get("card"))
    if named.get("to"):
        yield Step("target", named.get("to"))


def use_sentence(option: Option, value: Json | tuple[str, ...], ctx: Context) -> str:
    """Return a use as a whole: `Crownsazer's skill: Bea's 4♣`."""
    args = option.args
    paid = [named_text(named, ctx) for named in dicts_in(args.get("pays"))]
    picked = [named_text(named, ctx) for named in dicts_in(args.get("picks"))]
    listed = [choice_text(label, ctx) for label in as_texts(value)]
    if option.value is not None and not listed:
        what = "odoriko.use.no_cards" if isinstance(value, list | tuple) else "odoriko.use.list"
        listed = [ctx.say(what)]
        if has_int(args.get("whose")):
            listed = [_whose(args["whose"], listed[0], ctx)]
    if has_int(args.get("to")):
        listed = [text + whereto({"seat": args["to"]}, ctx) for text in listed[-1:]]
    (paid if args.get("list") == "pays" else picked).extend(listed)
    comma = ctx.say("list.comma")
    if option.kind == "choose":
        return comma.join([*picked, *paid]) or ctx.say("odoriko.use.nothing")
    text = ctx.say(f"odoriko.do.{option.kind}", card=ctx.card_text(as_str(args.get("card"))))
    if paid:
        text += ctx.say("odoriko.use.pays", cards=comma.join(paid))
    if picked:
        text += ctx.say("odoriko.use.picks", cards=comma.join(picked))
    return text


def answered_text(answered: Mapping[str, Json], ctx: Context, words: Mapping[str, str]) -> str:
    """Return a sealed answer of one's own in words, as far as its parts are known.

    Args:
        answered: What the view says of it.
        ctx: The language and what things are called.
        words: What the parts of an option's id are called that are no cards.
    """
    parts = [part for part in as_str(answered.get("option")).split(":") if part]
    out: list[str] = []
    match parts:  # the beginnings that stand for a sentence
        case ["use_skill", "song" | "dance", card, *rest] if ctx.is_card(card):
            text = ctx.say("odoriko.do.use_skill", card=ctx.card_text(card))
            out, parts = [text + (ctx.say("odoriko.use.colon") if rest else "")], ["", *rest]
        case ["keep_character", "song" | "dance" as zone, card] if ctx.is_card(card):
            text = ctx.say(
                "odoriko.do.keep_character", card=ctx.card_text(card), zone=_zone(zone, ctx)
            )
            out, parts = [text], []
    for i, part in enumerate(parts):
        if not part or (i == 0 and part == "choose"):
            continue
        if i and part.isdecimal() and len(part) < 3:
            out.append("" if int(part) == ctx.me else ctx.name(int(part), 14))
        elif ctx.is_card(part.partition(">")[0]):
            out.append(choice_text(part, ctx))
        else:
            out.append(words.get(part) or clean(part).replace("_", " "))
    value = answered.get("value")
    out += [choice_text(label, ctx) for label in as_texts(value)]
    if has_int(value):
        out.append(str(value))
    return " ".join(part for part in out if part)


# --- what is going on -----------------------------------------------------------------------------


def use_text(use: Mapping[str, Json], ctx: Context) -> str:
    """Return a card of the stack: who uses it, on what, and what became of that."""
    card = ctx.card_text(as_str(use.get("card")))
    if use.get("skill"):
        card = ctx.say("odoriko.do.use_skill", card=card)
    text = ctx.say("odoriko.stack.by", card=card, who=ctx.name(as_int(use.get("seat"), -1), 12))
    target, takes = as_dict(use.get("target")), as_dict(use.get("takes"))
    if target:
        text += ctx.say(
            "odoriko.stack.target",
            card=ctx.card_text(as_str(target.get("card"))),
            who=ctx.name(as_int(target.get("seat"), -1), 12),
            zone=_zone(as_str(target.get("zone")), ctx),
        )
    if takes:
        text += ctx.say("odoriko.stack.takes", card=ctx.card_text(as_str(takes.get("card"))))
    if redirected := as_str(as_dict(use.get("redirected")).get("card")):
        text += ctx.say("odoriko.stack.redirected", card=ctx.card_text(redirected))
    if shown := as_texts(use.get("shown")):
        text += ctx.say("odoriko.stack.shown", cards=ctx.cards_text(shown))
    if use.get("cancelled"):
        text += ctx.say("odoriko.cancelled")
    return text


def window_text(window: Mapping[str, Json], ctx: Context) -> str:
    """Return what may be answered; nothing for a window of a name that is not known here."""
    card = ctx.card_text(as_str(window.get("card"), "K"))
    match window.get("name"):
        case "k":
            victim = as_dict(window.get("redirected")) or as_dict(window.get("target"))
            target = _whose(victim.get("seat"), ctx.card_text(as_str(victim.get("card"))), ctx)
            return ctx.say("odoriko.sit.k", card=card, target=target)
        case "j":
            cards = [as_str(c.get("card")) for c in dicts_in(window.get("candidates"))]
            return ctx.say("odoriko.sit.j", cards=ctx.cards_text(cards))
        case "a":
            return ctx.say("odoriko.sit.a", cards=ctx.cards_text(as_texts(window.get("lot"))))
        case "event":
            who = ctx.name(as_int(window.get("seat"), -1), 14)
            return ctx.say("odoriko.sit.event", card=card, who=who)
        case "trigger":
            cards = [as_str(c.get("card")) for c in dicts_in(window.get("discarded"))]
            return ctx.say("odoriko.sit.trigger", cards=ctx.cards_text(cards))
        case "free":
            return ctx.say("odoriko.sit.free")
    return ""


def subjects(view: Mapping[str, Json]) -> list[str]:
    """Return the cards that the open question is about: the one in use, the answered one."""
    table = as_dict(view.get("table"))
    found = [as_str(as_dict(table.get(key)).get("card")) for key in ("picking", "window")]
    return [card for card in found if card]


USE_MOVES: Final[Mapping[str, tuple[str, str]]] = {
    "use_event": (
        "手札のイベントカードを使います。行動を1回使い、効果の後に捨て札になります。誰かが特技で打ち消すことがあります。対象があれば、打ち消されなかった時に選びます。（OD-44, OD-160）",
        "Play an event from your hand. It takes an action and goes to your pile afterwards. A skill may cancel it; what it is about is chosen when it is carried out. (OD-44, OD-160)",
    ),
    "use_skill": (
        "場のキャラクターの特技を使います。タイミングと条件は札に書いてあり、「消費」は先に支払います。「いつでも」の特技は行動を使いません。（OD-45, OD-66, OD-67, OD-109）",
        "Use the skill of a character on your fields. Its timing and condition stand on the card; a cost is paid first. A skill for any time takes no action. (OD-45, OD-66, OD-67, OD-109)",
    ),
    "choose": (
        "使われた札の効果の対象を選びます。（OD-186）",
        "Choose what the card in use is about. (OD-186)",
    ),
}

add(
    {
        "odoriko.spent": ("×済", "×used"),
        "odoriko.use.of": ("{who}の{what}", "{who}'s {what}"),
        "odoriko.use.in_pile": ("捨て札の{card}", "{card} in the pile"),
        "odoriko.use.pays": ("（{cards}を消費）", ", paying {cards}"),
        "odoriko.use.picks": (": {cards}", ": {cards}"),
        "odoriko.use.colon": (":", ":"),
        "odoriko.use.list": ("選ぶ札", "cards of your choice"),
        "odoriko.use.no_cards": ("なし", "no cards"),
        "odoriko.use.nothing": ("何も選ばない", "nothing"),
        "odoriko.use.chance": ("くじで選ぶ", "chosen by lot"),
        "odoriko.do.use_skill": ("{card}の特技", "{card}'s skill"),
        "odoriko.do.use_event": ("{card}を使う", "play {card}"),
        "odoriko.stack.redirected": ("、代わりに{card}", ", {card} in its place"),
        "odoriko.stack.shown": (" 公開 {cards}", " shows {cards}"),
        "odoriko.sit.event": ("イベントへの応答  {card}（{who}）", "ANSWER TO EVENT  {card} by {who}"),
        "odoriko.sit.trigger": ("特技の機会  {cards}", "CHANCE FOR A SKILL  {cards}"),
        "odoriko.sit.free": ("いつでも使える特技", "SKILLS FOR ANY TIME"),
        "odoriko.sit.pick": ("{card}の対象を選ぶ（{who}）", "CHOICE FOR  {card} by {who}"),
        "odoriko.w.use_skill": ("特技を使う", "use a skill"),
        "odoriko.w.use_event": ("イベントを使う", "play an event"),
        "odoriko.w.choose": ("選ぶ", "choose"),
        "odoriko.w.song": ("歌の場", "song field"),
        "odoriko.w.dance": ("踊りの場", "dance field"),
        "odoriko.w.order_bid": ("順番の宣言", "declarations"),
        "odoriko.w.janken": ("じゃんけん", "janken"),
        "odoriko.w.action": ("手番行動", "actions"),
        "odoriko.w.event": ("イベントへの応答", "answer to an event"),
        "odoriko.w.k": ("Kへの応答", "answer to a K"),
        "odoriko.w.trigger": ("捨て札への特技", "skills on discards"),
        "odoriko.w.j": ("Jの機会", "chance for J"),
        "odoriko.w.a": ("Aの機会", "chance for A"),
        "odoriko.w.free": ("いつでも使える特技", "skills for any time"),
        "odoriko.w.pick": ("効果の対象", "what the effect is about"),
        "odoriko.w.holder_pick": ("自分の札から選ぶ", "one of your own cards"),
        "odoriko.w.auction": ("競り", "auction"),
        "odoriko.w.payment": ("支払い", "payment"),
        "odoriko.w.order_gain": ("手札に残す札", "what stays in hand"),
    }
)  # fmt: skip
