"""A form made from a JSON Schema of options: what a field may hold, and the keys on it.

Up and down go from field to field, left and right change what there are few of, digits and letters
type the rest, Enter on the last line hands the form in. The first digit takes the place of a
number. Only values that fit the schema come out: a number outside its bounds becomes the nearest,
and the form tells. A field of a kind that is not known here keeps its default and is not shown.

A list of some of several values has a digit for each, which puts it in or takes it out.

Times are milliseconds in the schema and seconds in the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen

from ..reading import Json, as_dict, as_int, as_list, as_str, as_texts, has_int
from .editor import Editor

__all__ = ["Field", "Form", "fields_of"]


@frozen
class Field:
    """One line of the form.

    `choices` are the values that left and right go through; without them it is a number from
    `low` to `high` if it has those, else text. `unit` is what one of the typed number stands for.
    `help` is what the schema says about it: one text, or one for each language.
    """

    name: str
    default: Json = None
    choices: tuple[Json, ...] = ()
    low: int | None = None
    high: int | None = None
    limit: int = 100  # characters of a text
    unit: int = 1
    help: Json = None
    examples: tuple[str, ...] = ()  # of a text: left and right go through them
    members: tuple[str, ...] = ()  # of a list: each is in it or not

    def shown(self, value: int) -> str:
        """Return a number as it is typed: `90` for 90 000 ms, `0.3` for 300."""
        if self.unit == 1:
            return str(value)
        return f"{value / self.unit:.3f}".rstrip("0").rstrip(".")

    def read(self, text: str) -> int | None:
        """Return the number that was typed, None if it is none."""
        if self.unit == 1:
            return int(text) if text.isdecimal() else None
        whole, _, part = text.partition(".")
        if not (whole + part).isdecimal():
            return None
        return round(float(f"{whole or 0}.{part or 0}") * self.unit)

    @property
    def step(self) -> int:
        """How far left and right go."""
        small = self.unit > 1 and self.high is not None and self.high < 10 * self.unit
        return self.unit // 10 if small else self.unit

    @property
    def is_number(self) -> bool:
        """Whether digits are typed into it."""
        return not self.choices and self.low is not None

    def fit(self, value: Json) -> Json:
        """Return the value, or the nearest one that the field may hold."""
        if self.members:
            return [member for member in self.members if member in as_texts(value)]
        if self.choices:
            return value if value in self.choices else self.default
        if self.low is not None:
            high = self.low if self.high is None else self.high
            return max(self.low, min(high, as_int(value, as_int(self.default))))
        return as_str(value)


def fields_of(schema: Mapping[str, Json]) -> tuple[Field, ...]:
    """Return a field for every property of the schema that this form can show."""
    out: list[Field] = []
    for name, raw in as_dict(schema.get("properties")).items():
        told = as_dict(raw)
        default = told.get("default")
        choices = tuple(as_list(told.get("enum")))
        if told.get("type") == "boolean":
            choices = (False, True)
        if choices:
            start = default if default in choices else choices[0]
            out.append(Field(name, start, choices, help=told.get("description")))
        elif told.get("type") == "integer":
            low = as_int(told.get("minimum"))
            high = as_int(told.get("maximum"), 2**53 - 1)
            unit = 1000 if name.endswith("_ms") else 1
            number = Field(name, as_int(default, low), (), low, high, unit=unit)
            out.append(evolve(number, help=told.get("description")))
        elif told.get("type") == "array":
            members = tuple(as_texts(as_dict(told.get("items")).get("enum")))
            default = as_list(told.get("default"))
            if members:
                out.append(Field(name, default, members=members, help=told.get("description")))
        elif told.get("type") == "string":
            limit = as_int(told.get("maxLength"), 100)
            text = Field(name, as_str(default), limit=limit, help=told.get("description"))
            out.append(evolve(text, examples=tuple(as_texts(told.get("examples")))))
    return tuple(out)


@frozen
class Form:
    """The fields, what they hold, and where the cursor is; after the last field is the way out."""

    fields: tuple[Field, ...]
    values: Mapping[str, Json] = field(factory=dict)
    at: int = 0
    typed: Editor | None = None  # what is being typed into the field at the cursor
    clamped: str | None = None  # the field whose number was outside its bounds just now

    def value(self, name: str) -> Json:
        """Return what a field holds."""
        for one in self.fields:
            if one.name == name:
                return self.values.get(name, one.default)
        return None

    @property
    def here(self) -> Field | None:
        """The field at the cursor; None on the way out."""
        return self.fields[self.at] if self.at < len(self.fields) else None

    def changed(self, names: Iterable[str]) -> dict[str, Json]:
        """Return those of the fields that do not hold their default."""
        wanted = set(names)
        return {
            f.name: self.value(f.name)
            for f in self.fields
            if f.name in wanted and self.value(f.name) != f.default
        }

    def press(self, key: str) -> tuple[Form, bool]:
        """Apply a key. The second value tells that the form is handed in."""
        if self.clamped is not None:
            return evolve(self, clamped=None).press(key)
        here = self.here
        match key:
            case "up" | "backtab":
                return evolve(self.settled(), at=max(0, self.at - 1)), False
            case "down" | "tab":
                return evolve(self.settled(), at=min(len(self.fields), self.at + 1)), False
            case "pagedown" | "end":
                return evolve(self.settled(), at=len(self.fields)), False
            case "pageup" | "home" if here is None or not self._types(here):
                return evolve(self.settled(), at=0), False
            case "enter" if here is None:
                return self.settled(), True
            case "enter":
                return evolve(self.settled(), at=self.at + 1), False
        if here is None:
            return self, False
        if here.members:
            return self._switch(here, key), False
        if self._types(here):
            return self._type(here, key), False
        if key in ("left", "right", "space"):
            step = -1 if key == "left" else 1
            place = here.choices.index(here.fit(self.value(here.name)))
            return self._set(here, here.choices[(place + step) % len(here.choices)]), False
        return self, False

    def _switch(self, here: Field, key: str) -> Form:
        """Put a member into the list or take it out by its digit; left empties it, right fills it."""
        chosen = as_texts(self.value(here.name))
        if key in ("left", "right"):
            return self._set(here, here.fit(list(here.members) if key == "right" else []))
        if not (len(key) == 1 and key.isdecimal() and 1 <= int(key) <= len(here.members)):
            return self
        member = here.members[int(key) - 1]
        now: list[Json] = [one for one in here.members if (one in chosen) != (one == member)]
        return self._set(here, now)

    def settled(self) -> Form:
        """Return the form with what was being typed taken in."""
        here = self.here
        if here is None or self.typed is None:
            return evolve(self, typed=None)
        text = self.typed.text
        value: Json = text
        clamped = None
        if here.is_number:
            number = here.read(text)
            value = here.default if number is None else number
            clamped = here.name if here.fit(value) != value else None
        return evolve(self._set(here, here.fit(value)), typed=None, clamped=clamped)

    def editor(self) -> Editor | None:
        """Return the editor of the field at the cursor, if it is typed into."""
        here = self.here
        if here is None or not self._types(here):
            return None
        if self.typed is not None:
            return self.typed
        value = self.value(here.name)
        return Editor.of(here.shown(value) if has_int(value) else as_str(value), here.limit)

    def _types(self, here: Field) -> bool:
        return not here.choices and not here.members

    def _type(self, here: Field, key: str) -> Form:
        editor = self.editor() or Editor()
        if here.is_number and key in ("left", "right"):
            number = here.read(editor.text)
            number = as_int(here.default) if number is None else number
            moved = here.fit(number + (here.step if key == "right" else -here.step))
            return evolve(self._set(here, moved), typed=None)
        if here.examples and self.typed is None:
            if key in ("left", "right"):
                return self._set(here, self._example(here, 1 if key == "right" else -1))
            if len(key) == 1:  # a text of one's own, in place of the example
                return evolve(self, typed=Editor.of(key, here.limit))
        if here.is_number and len(key) == 1:
            if not key.isdecimal() and not (key == "." and here.unit > 1):
                return self
            if self.typed is None:  # nothing typed yet: this begins a new number
                return evolve(self, typed=Editor.of(key, here.limit))
        return evolve(self, typed=editor.press(key))

    def _example(self, here: Field, step: int) -> str:
        value = as_str(self.value(here.name))
        if value not in here.examples:
            return here.examples[0 if step > 0 else -1]
        return here.examples[(here.examples.index(value) + step) % len(here.examples)]

    def paste(self, text: str) -> Form:
        """Put text in at the cursor."""
        here, editor = self.here, self.editor()
        if here is None or editor is None or (here.is_number and not text.strip().isdecimal()):
            return self
        if here.examples and self.typed is None:
            editor = Editor(limit=here.limit)
        is_word = here.is_number or here.examples
        return evolve(self, typed=editor.insert(text.strip() if is_word else text))

    def _set(self, here: Field, value: Json) -> Form:
        return evolve(self, values={**self.values, here.name: value})
