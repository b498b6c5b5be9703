"""Building a deck before the game: the cards with their texts, what is chosen, what is wrong.

On a wide screen the card under the cursor is explained beside the list, on a narrow one below it.
What is chosen is a `Draft`; Enter sends it, and the screen stays until the server took it. Pages over
it: the name to save a deck by, the saved decks, and a card's whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve
from kaguraden_protocol import messages

from ...reading import as_dict
from ..deck_files import (
    BadDeckFile,
    decks_dir,
    delete_deck,
    file_name,
    find_deck,
    read_deck,
    saved_decks,
    write_deck,
)
from ..deck_rules import DeckRules
from ..decks import Draft, Fault, fault_text, faults, kind_text, pool, verdict
from ..editor import Editor
from ..painters import Catalog, Context, painter_for
from ..text import Fragment, Line, clean, cut_line, fit_line, pad, wrap, wrap_line
from .base import Body, Keys, Screen, input_body, rule, scrolled

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["DeckScreen", "can_build", "deck_line", "deck_rules", "send_deck"]

_BESIDE = 64  # columns from which on the text stands beside the list
_LIST_CELLS = 36  # of the list beside it, at least
_HEAD = 3  # lines above the list: how many, what is wrong, a rule


def send_deck(ui: Ui, room: str, draft: Draft) -> None:
    """Ask the server to take a deck; one without cards is the starter."""
    ui.decks.problems = ()
    ui.decks.sent[room] = draft
    cards = draft.cards or None
    starter = None if draft.cards else True
    if ui.ask(messages.Deck(id=0, room=room, cards=cards, starter=starter)) is None:
        ui.decks.sent.pop(room, None)


def can_build(ui: Ui) -> bool:
    """Whether the user may choose a deck now: seated, before the start, in a game with cards."""
    table = ui.table
    if table is None or table.info is None or table.view or ui.seat_of(table) is None:
        return False
    return ui.painter.has_decks and bool(pool(ui.catalogs.get(table.info.game, Catalog())))


def deck_rules(ui: Ui) -> DeckRules:
    """Return what a deck must be at the table that is shown; options not told have their default."""
    info = ui.table.info if ui.table is not None else None
    game = ui.game(info.game) if info is not None else None
    schema = as_dict(game.options.get("properties")) if game is not None else {}
    options = {name: as_dict(told).get("default") for name, told in schema.items()}
    return ui.painter.deck_rules({**options, **(info.options if info is not None else {})})


def deck_line(ui: Ui, room: str, key: str = "deck.yours") -> str:
    """Return which deck one plays in a room, in words; nothing where there is none to choose."""
    if not can_build(ui):
        return ""
    draft = ui.decks.taken.get(room)
    if draft is None:
        return ui.say(key, what=ui.say("deck.starter"))
    return ui.say(key, what=clean(draft.name) or ui.say("deck.own"))


class DeckScreen(Screen):
    """The deck of one room."""

    def __init__(self, ui: Ui, room: str) -> None:
        self.room = room
        self.draft = ui.decks.draft(room)
        self.at = 0
        self.page = 8  # lines of the list, as drawn last

    # --- what it is about -----------------------------------------------------------------------

    def _context(self, ui: Ui) -> Context:
        return ui.context(ui.table)

    def _game(self, ui: Ui) -> str:
        info = ui.table.info if ui.table is not None else None
        return info.game if info is not None else ui.quick_game

    def _catalog(self, ui: Ui) -> Catalog:
        return ui.catalogs.get(self._game(ui), Catalog())

    def _rules(self, ui: Ui) -> DeckRules:
        return deck_rules(ui)

    def _rows(self, ui: Ui) -> list[str]:
        """Return the cards of the list: those that may be chosen, and chosen ones that may not."""
        catalog, rules = self._catalog(ui), self._rules(ui)
        known = pool(catalog)
        shown = [c for c in known if rules.kinds is None or catalog.cards[c].kind in rules.kinds]
        return [*shown, *dict.fromkeys(c for c in self.draft.cards if c not in shown)]

    def title(self, ui: Ui) -> str:
        """Return the room and what is done here."""
        return f"· {clean(self.room)} · {ui.say('deck.title')}"

    # --- drawing ----------------------------------------------------------------------------------

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the list, the text of the card at the cursor, and what is wrong."""
        if ui.shade:
            return Body(((), cut_line((("dim", " " + ui.say("shade.on")),), width))[:height])
        rows = self._rows(ui)
        if not rows:
            return Body(((), cut_line((("dim", " " + ui.say("deck.waiting")),), width))[:height])
        self.at = max(0, min(self.at, len(rows) - 1))
        head = self._head(ui, width)
        if height < 12:
            head = head[:2]
        ctx = self._context(ui)
        texts = painter_for(self._game(ui)).card_page(rows[self.at], ctx)
        room = max(1, height - len(head))
        if width >= _BESIDE:
            cells = max(_LIST_CELLS, width * 2 // 5)
            lines = self._list(ui, rows, cells, room)
            told = _told(texts, width - cells - 3, room)
            sides: list[Line] = []
            for i in range(room):
                left = fit_line(lines[i] if i < len(lines) else (), cells)
                right = told[i] if i < len(told) else ()
                sides.append((*left, ("rule", " │ "), *right))
            return Body((*head, *sides)[:height])
        below = _told(texts, width - 2, max(0, room // 2))
        lines = self._list(ui, rows, width, max(1, room - len(below) - 1))
        return Body((*head, *lines, rule((), width), *below)[:height])

    def _head(self, ui: Ui, width: int) -> list[Line]:
        rules = self._rules(ui)
        n = len(self.draft.cards)
        if rules.size is None:
            text = ui.say("deck.count", n=n)
        else:
            text = ui.say("deck.count_of", n=n, size=rules.size)
        line: list[Fragment] = [("strong", f" {text}")]
        if self.draft.name:
            line.append(("", f"   “{clean(self.draft.name)}”"))
        lines = [tuple(line)]
        if self.room in ui.decks.sent:
            lines += [(("dim", " " + ui.say("deck.sent")),)]
        elif ui.decks.problems:
            lines.append((("alert", " " + ui.say("deck.refused")),))
            for problem in ui.decks.problems:
                lines += wrap_line((("alert", f"   {problem}"),), width, 3)
        else:
            found = faults(self.draft.cards, self._catalog(ui), rules)
            style = "alert" if found else "good"
            lines += wrap_line(((style, " " + verdict(found, self._context(ui))),), width, 1)
        lines.append(rule((), width))
        return [cut_line(line, width) for line in lines]

    def _list(self, ui: Ui, rows: list[str], cells: int, height: int) -> list[Line]:
        """Return the part of the list with the cursor, under a heading for each kind of card."""
        catalog, ctx, rules = self._catalog(ui), self._context(ui), self._rules(ui)
        lines: list[Line] = []
        kind: str | None = None
        focus = 0
        for i, card in enumerate(rows):
            known = catalog.cards.get(card)
            its = known.kind if known is not None else ""
            if its != kind:
                kind = its
                most = rules.most(kind)
                limit = f" (×{most})" if most is not None and most > 1 else ""
                lines.append((("field", f" {kind_text(kind, ctx)}{limit}"),))
            here = i == self.at
            if here:
                focus = len(lines)
            n = self.draft.count(card)
            mark = f"[{n}]" if n else "[ ]"
            style = "menu.at" if here else "strong" if n else ""
            name = clean(known.short(ctx.lang)) if known is not None else clean(card)
            lines.append(
                (
                    ("menu.at" if here else "", " ❯" if here else "  "),
                    ("menu.key" if n else "dim", f"{mark} "),
                    (style, pad(name, max(1, cells - 7)).rstrip()),
                )
            )
        self.page = max(1, height - 2)
        begin = 0 if focus == 1 else focus - height // 2
        shown, _ = scrolled(lines, begin, height)
        return [cut_line(line, cells) for line in shown]

    # --- keys -------------------------------------------------------------------------------------

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of deck building."""
        say = ui.say
        return [("Space", say("key.one_more")), ("Enter", say("key.send_deck")), ("s", say("key.save")),
                ("l", say("key.load")), ("t", say("key.starter")), ("?", say("key.explain")),
                ("Esc", say("key.back")), ("←→", say("key.more")), ("c", say("key.clear")),
                ("F2", say("key.language"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        rows = self._rows(ui)
        last = max(0, len(rows) - 1)
        moved = {
            "up": self.at - 1, "down": self.at + 1, "home": 0, "end": last,
            "pageup": self.at - self.page, "pagedown": self.at + self.page,
        }  # fmt: skip
        if key in moved:
            self.at = max(0, min(last, moved[key]))
            return
        match key:
            case "escape" | "d" | "q":
                ui.decks.latest = self.draft
                ui.pop()
            case "space" | "right" | "+" | "left" | "-" if rows and not ui.shade:
                self._change(ui, rows[min(self.at, last)], key)
            case "c" if not ui.shade:
                self._replace(ui, Draft())
            case "t":
                send_deck(ui, self.room, Draft())
            case "enter":
                self._send(ui)
            case "s" if self.draft.cards:
                ui.push(_NamePage(self, self.draft.name))
            case "s":
                ui.note = ui.say("deck.empty")
            case "l":
                ui.push(_FilesPage(self))
            case "?" if rows and not ui.shade:
                ui.push(_CardPage(rows[min(self.at, last)], self._game(ui)))

    def _replace(self, ui: Ui, draft: Draft) -> None:
        self.draft = ui.decks.latest = draft
        ui.decks.problems = ()

    def _change(self, ui: Ui, card: str, key: str) -> None:
        known = self._catalog(ui).cards.get(card)
        kind = known.kind if known is not None else ""
        if key in ("left", "-"):
            self._replace(ui, self.draft.fewer(card))
            return
        more, fault = self.draft.more(card, kind, self._rules(ui))
        if known is None:
            fault = Fault("deck.fault.unknown", {"card": card})
        elif fault is None:
            self._replace(ui, more)
        if fault is not None and key == "space" and self.draft.count(card):
            cards = tuple(c for c in self.draft.cards if c != card)  # space goes round: 0, 1, … 0
            self._replace(ui, evolve(self.draft, cards=cards))
        elif fault is not None:
            ui.note = fault_text(fault, self._context(ui))

    def _send(self, ui: Ui) -> None:
        found = faults(self.draft.cards, self._catalog(ui), self._rules(ui))
        if found or not self.draft.cards:
            ui.note = verdict(found, self._context(ui))
            return
        order = pool(self._catalog(ui))
        send_deck(ui, self.room, evolve(self.draft, cards=self.draft.sorted_by(order)))

    # --- files, for the pages over it ---------------------------------------------------------------

    def save(self, ui: Ui, name: str) -> None:
        """Write the deck to a file of the user's."""
        cards = self.draft.sorted_by(pool(self._catalog(ui)))
        try:
            path = write_deck(name, cards, self._game(ui))
        except BadDeckFile as error:
            ui.note = error.text(ui.lang)
            return
        self._replace(ui, evolve(self.draft, name=path.stem))
        ui.note = ui.say("deck.saved", path=clean(path))

    def load(self, ui: Ui, name: str) -> None:
        """Take the deck of a file."""
        try:
            deck = read_deck(find_deck(name), self._game(ui))
        except BadDeckFile as error:
            ui.note = error.text(ui.lang)
            return
        self._replace(ui, Draft(deck.cards, deck.name))
        ui.note = ui.say("deck.loaded", name=deck.name)


def _told(texts: list[str], cells: int, height: int) -> list[Line]:
    """Return a card's texts in lines, its name in front; what does not fit is marked."""
    lines: list[Line] = []
    for i, text in enumerate(texts):
        style = "strong" if i == 0 else ""
        lines += [((style, line),) for line in wrap(text, max(4, cells))]
    if len(lines) > height > 0:
        lines = [*lines[: height - 1], (("dim", "… ?"),)]
    return [cut_line(line, max(0, cells)) for line in lines[:height]]


class _NamePage(Screen):
    """The name to save a deck by."""

    def __init__(self, deck: DeckScreen, name: str) -> None:
        self.deck = deck
        self.editor = Editor.of(name, 40)
        self.loaded = file_name(name) if name else ""
        self.note = ""

    def title(self, ui: Ui) -> str:
        """Return what is asked."""
        return f"· {ui.say('key.save')}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the line that is typed into."""
        more = wrap_line((("alert", " " + self.note),), width, 1) if self.note else []
        return input_body(ui.say("deck.name"), self.editor, width, more)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a question."""
        return [("Enter", ui.say("key.save")), ("Esc", ui.say("key.back"))]

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if key == "escape":
            ui.pop()
            return
        if key != "enter":
            self.editor, self.note = self.editor.press(key), ""
            return
        name = self.editor.text.strip()
        try:
            stem = file_name(name)
        except BadDeckFile as error:
            self.note = error.text(ui.lang)
            return
        if stem in saved_decks() and stem != self.loaded and not self.note:
            self.note = ui.say("deck.replace", name=stem)
            return
        ui.pop()
        self.deck.save(ui, name)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text in."""
        self.editor, self.note = self.editor.insert(text), ""


class _FilesPage(Screen):
    """The saved decks, to load one or to delete it."""

    def __init__(self, deck: DeckScreen) -> None:
        self.deck = deck
        self.names = saved_decks()
        self.at = 0
        self.deleting: str | None = None  # the deck that it asks about

    def title(self, ui: Ui) -> str:
        """Return the page's name."""
        return f"· {ui.say('deck.files')}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the names, with the cursor on one."""
        if not self.names:
            text = ui.say("deck.no_files", folder=clean(decks_dir()))
            return Body(((), *wrap_line((("dim", " " + text),), width, 1))[:height])
        lines: list[Line] = []
        for i, name in enumerate(self.names):
            here = i == self.at
            digit = str(i + 1) if i < 9 else " "
            lines.append(cut_line((
                ("menu.at" if here else "", " ❯" if here else "  "),
                ("menu.key", f"{digit} "),
                ("menu.at" if here else "", clean(name)),
            ), width))  # fmt: skip
        question: list[Line] = []
        if self.deleting is not None:
            text = ui.say("deck.delete", name=clean(self.deleting))
            question = wrap_line((("alert", " " + text),), width, 1)[:height]
        height -= len(question)
        shown, _ = scrolled(lines, self.at - height // 2, height)
        if question:
            shown += ((),) * (height - len(shown))
        return Body((*shown, *question))

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of the list."""
        if self.deleting is not None:
            return [("Enter", ui.say("yes")), ("Esc", ui.say("no"))]
        keys: Keys = [("Esc", ui.say("key.back")), ("F2", ui.say("key.language"))]
        if not self.names:
            return keys
        return [("1-9", ui.say("key.load")), ("↑↓", ui.say("key.move")),
                ("Enter", ui.say("key.load")), ("x", ui.say("key.delete")), *keys]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        last = max(0, len(self.names) - 1)
        if self.deleting is not None:
            self._decide(ui, self.deleting, key)
            return
        match key:
            case "escape" | "l" | "q":
                ui.pop()
            case "x" | "delete" if self.names:
                self.deleting = self.names[self.at]
            case "up":
                self.at = max(0, self.at - 1)
            case "down":
                self.at = min(last, self.at + 1)
            case "enter" if self.names:
                self._load(ui, self.at)
            case _ if len(key) == 1 and key in "123456789" and int(key) <= len(self.names):
                self._load(ui, int(key) - 1)

    def _decide(self, ui: Ui, name: str, key: str) -> None:
        """Take the answer to the question whether to delete a deck."""
        if key not in ("enter", "escape"):
            return
        self.deleting = None
        if key == "enter":
            try:
                ui.note = ui.say("deck.deleted", name=clean(delete_deck(name)))
            except BadDeckFile as error:
                ui.note = error.text(ui.lang)
            self.names = saved_decks()
            self.at = max(0, min(self.at, len(self.names) - 1))

    def _load(self, ui: Ui, at: int) -> None:
        ui.pop()
        self.deck.load(ui, str(decks_dir() / f"{self.names[at]}.toml"))


class _CardPage(Screen):
    """A card's whole text, where it does not fit beside the list."""

    def __init__(self, card: str, game: str) -> None:
        self.card, self.game = card, game
        self.offset = 0

    def title(self, ui: Ui) -> str:
        """Return the page's name."""
        return f"· {ui.say('explain.title')}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the part of the text that shows."""
        ctx = Context(lang=ui.lang, catalog=ui.catalogs.get(self.game, Catalog()))
        texts = painter_for(self.game).card_page(self.card, ctx) or [ui.say("explain.nothing")]
        lines: list[Line] = [()]
        for i, text in enumerate(texts):
            style = "strong" if i == 0 else ""
            lines += wrap_line(((style, f" {text}"),), width, 1)
        shown, self.offset = scrolled(lines, self.offset, height)
        return Body(shown)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a page."""
        return [("Esc", ui.say("key.close")), ("↑↓", ui.say("key.scroll")), ("F2", ui.say("key.language"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        match key:
            case "up":
                self.offset -= 1
            case "down":
                self.offset += 1
            case "escape" | "?" | "q" | "enter":
                ui.pop()
