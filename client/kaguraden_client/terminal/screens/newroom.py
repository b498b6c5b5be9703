"""The form for a new table, and for the options of one that has not begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import evolve
from kaguraden_protocol import messages

from ...reading import Json, as_dict, as_int, as_str, as_texts, has_int
from ..form import Field, Form, fields_of
from ..painters import Catalog, Context, painter_for
from ..text import Fragment, Line, clean, cut_line, pad, width, wrap_line
from ..words import has
from .base import Body, Keys, Screen, scrolled

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["NewRoom", "Options", "example_text", "option_name", "option_value"]

_LABEL_CELLS = 24


def option_name(ui: Ui, name: str) -> str:
    """Return what an option is called: in our words if we have some."""
    for key in (f"form.{name}", f"opt.{name}"):
        if has(key):
            return ui.say(key)
    return clean(name).replace("_", " ")


def option_value(ui: Ui, value: Json, name: str = "") -> str:
    """Return an option's value in words."""
    if isinstance(value, bool):
        return ui.say("yes" if value else "no")
    if name == "game":
        return ui.game_name(as_str(value))
    if name.endswith("_ms") and has_int(value):
        return duration(ui, value)
    if isinstance(value, list | tuple):
        return ui.say("list.comma").join(option_value(ui, one, name) for one in value) or ui.say(
            "none"
        )
    text = clean(value if value is not None else "")
    for key in (f"optval.{name}.{text}", f"level.{text}" if name == "level" else ""):
        if key and has(key):
            return ui.say(key)
    return text


def duration(ui: Ui, value: int) -> str:
    """Return milliseconds as seconds or minutes."""
    if value >= 120_000 and value % 60_000 == 0:
        return ui.say("time.minutes", n=value // 60_000)
    return ui.say("time.seconds", n=f"{value / 1000:.3f}".rstrip("0").rstrip("."))


def example_text(ui: Ui, game: str, value: str) -> str:
    """Return what one of the values that a text may have is called; "" where it has no name."""
    ctx = Context(lang=ui.lang, catalog=ui.catalogs.get(game, Catalog()))
    return painter_for(game).example(value, ctx)


def _members(ui: Ui, game: str, field: Field, form: Form) -> str:
    """Return the members that a list may have, each with its digit, a mark on those in it."""
    chosen = as_texts(form.value(field.name))
    return "  ".join(
        f"{i} [{'x' if member in chosen else ' '}] {example_text(ui, game, member) or clean(member)}"
        for i, member in enumerate(field.members, start=1)
    )


def _examples(ui: Ui, game: str, field: Field, form: Form, cells: int) -> list[Line]:
    """Return the values that a text may have as a list, side by side, with the one it has marked."""
    value = form.value(field.name)
    texts = [example_text(ui, game, name) or clean(name) for name in field.examples]
    column = max(map(width, texts), default=0) + 4
    across = max(1, cells // column)
    lines: list[Line] = []
    for i in range(0, len(texts), across):
        line: list[Fragment] = []
        names = field.examples[i : i + across]
        for name, text in zip(names, texts[i : i + across], strict=True):
            here = name == value
            line.append(("menu.at" if here else "", (" ❯ " if here else "   ") + text))
            line.append(("", " " * max(0, column - 3 - width(text))))
        lines.append(cut_line(tuple(line), cells))
    return lines


class _FormScreen(Screen):
    """A form over the whole screen."""

    game: str
    form: Form
    heading: str
    button: str

    def title(self, ui: Ui) -> str:
        """Return what the form is for."""
        return f"· {ui.say(self.heading)}"

    def body(self, ui: Ui, cells: int, height: int) -> Body:
        """Return the fields that fit, with the one at the cursor among them."""
        lines: list[Line] = [()]
        cursor: tuple[int, int] | None = None
        label_cells = min(_LABEL_CELLS, max(4, cells // 3))
        for i, one in enumerate(self.form.fields):
            here = i == self.form.at
            line: list[Fragment] = [
                ("menu.at" if here else "", " ❯ " if here else "   "),
                ("strong" if here else "field", pad(option_name(ui, one.name), label_cells)),
                ("", " "),
            ]
            editor = self.form.editor() if here else None
            if editor is not None:
                short = one.is_number or editor.text in one.examples
                room = max(4, min(12 if short else 40, cells - label_cells - 6))
                text, at = editor.window(room)
                cursor = (label_cells + 4 + at, len(lines))
                line.append(("input", pad(text, room)))
                line.append(("dim", f" {ui.say('time.unit')}" if one.unit > 1 else ""))
                if one.examples:
                    typed = editor.text.strip()
                    line.append(("strong", f" {example_text(ui, self.game, typed)}"))
            elif one.members:
                line.append(("", _members(ui, self.game, one, self.form)))
            else:
                value = option_value(ui, self.form.value(one.name), one.name)
                arrows = here and bool(one.choices)
                line.append(("menu.at" if arrows else "", f"‹ {value} ›" if arrows else value))
            if (
                here
                and self.form.value(one.name) != one.default
                and one.default not in (None, "", [])
            ):
                line.append(
                    (
                        "dim",
                        "  "
                        + ui.say("form.standard", value=option_value(ui, one.default, one.name)),
                    )
                )
            lines.append(cut_line(tuple(line), cells))
        out = self.form.here is None
        lines += [
            (),
            (("menu.at" if out else "strong", (" ❯ " if out else "   ") + ui.say(self.button)),),
        ]
        focus = len(lines) - 1 if out else self.form.at + 1
        help_lines = self._help(ui, cells)
        room = max(1, height - len(help_lines))
        shown, offset = scrolled(lines, focus - room // 2, room)
        if cursor is not None:
            cursor = (cursor[0], cursor[1] - offset)
        shown += ((),) * (room - len(shown))
        return Body((*shown, *help_lines)[:height], cursor)

    def _help(self, ui: Ui, cells: int) -> list[Line]:
        """Return what there is to say about the field, and about a number that did not fit."""
        lines: list[Line] = []
        for one in self.form.fields:
            if one.name == self.form.clamped and one.low is not None and one.high is not None:
                text = ui.say(
                    "form.clamped",
                    name=option_name(ui, one.name),
                    low=option_value(ui, one.low, one.name),
                    high=option_value(ui, one.high, one.name),
                    value=option_value(ui, self.form.value(one.name), one.name),
                )
                lines += wrap_line((("alert", " " + text),), cells, 1)
        here = self.form.here
        if here is None:
            return lines
        if here.examples:
            lines += _examples(ui, self.game, here, self.form, cells)
        text = ui.say(f"opthelp.{here.name}") if has(f"opthelp.{here.name}") else ""
        if not text:
            told = as_dict(here.help)
            text = clean(
                as_str(here.help) or as_str(told.get(ui.lang.value), as_str(told.get("en")))
            )
        return lines + (wrap_line((("dim", " " + text),), cells, 1) if text else [])

    def keys(self, ui: Ui) -> Keys:
        """Return the form's keys."""
        say = ui.say
        return [("↑↓", say("key.move")), ("←→", say("key.change")), ("Enter", say("key.ok")),
                ("PgDn", say("key.to_end")), ("Esc", say("key.back")), ("F2", say("key.language")), ("^C", say("key.quit"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if key == "escape":
            ui.pop()
            return
        self.form, done = self.form.press(key)
        self.changed(ui)
        if done:
            self.submit(ui)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text into the field."""
        self.form = self.form.paste(text)

    def changed(self, ui: Ui) -> None:
        """Adapt the form to what was chosen."""

    def submit(self, ui: Ui) -> None:
        """Do what the form is for."""
        raise NotImplementedError


class NewRoom(_FormScreen):
    """A new table: game, seats, bots, password, and the game's options."""

    heading = "form.new"
    button = "form.create"

    def __init__(
        self, ui: Ui, game: str | None = None, options: Mapping[str, Json] | None = None
    ) -> None:
        self.options = dict(options or {})  # to begin with
        names = [g.id for g in ui.games]
        self.game = (
            game if game in names else (ui.quick_game if ui.quick_game in names else names[0])
        )
        self.form = self._form(ui)
        ui.fetch_catalog(self.game)

    def _form(self, ui: Ui) -> Form:
        game = ui.game(self.game)
        low, high = (game.seats.min, game.seats.max) if game is not None else (2, 4)
        seats = max(low, min(high, ui.quick_bots + 1))
        names: tuple[Json, ...] = tuple(g.id for g in ui.games)
        head = (
            Field("game", self.game, names),
            Field("title", "", limit=48),
            Field("seats", seats, (), low, high),
            Field("bots", 0, (), 0, seats - 1),
            Field("level", "greedy", ("greedy", "random", "heuristic", "search")),
            Field("listed", True, (True, False)),
            Field("password", "", limit=64),
        )
        fields = fields_of(game.options if game is not None else {})
        wanted = ui.options_for(self.game, {**ui.quick_options, **self.options})
        values = {f.name: f.fit(wanted[f.name]) for f in fields if f.name in wanted}
        return Form((*head, *fields), values)

    def changed(self, ui: Ui) -> None:
        """Show the options of the game that was chosen."""
        game = as_str(self.form.value("game"))
        if game != self.game:
            self.game = game
            ui.fetch_catalog(game)
            self.form = evolve(self._form(ui), at=self.form.at)
        most = as_int(self.form.value("seats")) - 1  # a bot for every seat but one's own
        fields = tuple(evolve(f, high=most) if f.name == "bots" else f for f in self.form.fields)
        if fields != self.form.fields:
            bots = min(as_int(self.form.value("bots")), most)
            values = {**self.form.values, "bots": bots}
            self.form = evolve(self.form, fields=fields, values=values)

    def submit(self, ui: Ui) -> None:
        """Make the table."""
        form = self.form
        game = ui.game(self.game)
        options = form.changed(f.name for f in fields_of(game.options)) if game is not None else {}
        request = messages.Create(
            id=0,
            game=self.game,
            options=options or None,
            title=as_str(form.value("title")) or None,
            password=as_str(form.value("password")) or None,
            listed=form.value("listed") is True,
            seats=as_int(form.value("seats")),
        )
        ui.pop()
        ui.create(
            request, as_int(form.value("bots")), as_str(form.value("level")) or None, start=False
        )


class Options(_FormScreen):
    """The options of a table before its game."""

    heading = "form.options"
    button = "form.apply"

    def __init__(self, ui: Ui, info: messages.RoomInfo) -> None:
        game = ui.game(info.game)
        self.room = info.room
        self.game = info.game
        ui.fetch_catalog(self.game)
        fields = fields_of(game.options) if game is not None else ()
        values = {f.name: f.fit(info.options[f.name]) for f in fields if f.name in info.options}
        self.form = Form(fields, values)

    def submit(self, ui: Ui) -> None:
        """Set the options."""
        options = {f.name: self.form.value(f.name) for f in self.form.fields}
        ui.ask(messages.Configure(id=0, room=self.room, options=options))
        ui.pop()
