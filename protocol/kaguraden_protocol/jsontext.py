"""JSON as the transport allows it: RFC 8259 within the limits of RFC 7493, and small.

Reading never trusts its input. Size, depth and a first bound on the number of values are taken
from the text, before anything is built; the rest is found on the way or afterwards, and each fault
is reported with its path. Writing refuses what reading would refuse.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kaguraden_protocol.errors import LocalProtocolError, Problem
from kaguraden_protocol.limits import MAX_DEPTH, MAX_INTEGER, MAX_NODES, MAX_PROBLEMS

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = ["BadJson", "is_clean", "read", "step", "write"]

_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
_LONGEST_KEY: Final = 32  # characters of an unknown key that a path repeats
_LONGEST_INTEGER: Final = 17  # digits and sign; longer ones are not even converted


class BadJson(ValueError):
    """The text is no JSON within the limits.

    Attributes:
        problems: What is wrong and where.
        value: What could be read nevertheless, or None. Only its top level means anything.
    """

    def __init__(self, problems: Sequence[Problem], value: object = None) -> None:
        super().__init__("; ".join(f"{p.problem} @ {p.path}" for p in problems))
        self.problems = tuple(problems)
        self.value = value


def is_clean(text: str) -> bool:
    """Tell whether the text may be sent: it holds no U+0000 and no half of a surrogate pair."""
    return "\0" not in text and not _SURROGATE.search(text)


def step(path: str, key: int | str) -> str:
    """Return the path of an entry, such as `$.seats[2]`. Long and odd keys are cut and quoted."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}"
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "..."
    return f"{path}[{json.dumps(shown)}]"


# --- reading ---------------------------------------------------------------------------------


class _Fault:
    """Stands in the tree for a number that is not allowed."""

    def __init__(self, problem: str) -> None:
        self.problem = problem


class _Repeated(dict[str, Any]):
    """An object that names a field twice. Such fields are left out: neither value counts."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        times = Counter(name for name, _ in pairs)
        self.repeated = [name for name, number in times.items() if number > 1]
        gone = set(self.repeated)
        super().__init__((name, value) for name, value in pairs if name not in gone)


class _Decoder:
    """One reading. `suspect` becomes true when the tree has something to look for."""

    def __init__(self) -> None:
        self.suspect = False

    def decode(self, text: str) -> Any:  # noqa: ANN401 - JSON
        """Return the tree. A decoder that was kept here would be a cycle, one for each message."""
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._float,
            parse_constant=self._float,
        )
        return decoder.decode(text)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        self.suspect = True
        return _Repeated(pairs)

    def _integer(self, digits: str) -> int | _Fault:
        if len(digits) <= _LONGEST_INTEGER:
            number = int(digits)
            if -MAX_INTEGER <= number <= MAX_INTEGER:
                return number
        self.suspect = True
        return _Fault(f"a number beyond {MAX_INTEGER}")

    def _float(self, _: str) -> _Fault:
        self.suspect = True
        return _Fault("a number that is not whole")


def read(data: str | bytes, max_bytes: int) -> Json:
    """Return the JSON value that the frame holds.

    Raises:
        BadJson: It holds none, or one outside the limits.
    """
    text = _text(data, max_bytes)
    openers = text.count("[") + text.count("{")
    if openers > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise BadJson([Problem("$", f"more than {MAX_DEPTH} objects and arrays in each other")])
    decoder = _Decoder()
    try:
        value: Json = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson([Problem("$", f"{error.msg} (character {error.pos})")]) from None
    # Each value but the first follows a comma or stands first in an object or array.
    crowded = 1 + text.count(",") + openers > MAX_NODES
    if decoder.suspect or crowded or "\\u" in text:
        inspection = _Inspection()
        inspection.look(value, "$")
        if inspection.nodes > MAX_NODES:
            inspection.problems.insert(0, Problem("$", f"more than {MAX_NODES} values"))
        if inspection.problems:
            raise BadJson(inspection.problems[:MAX_PROBLEMS], value)
    return value


def _text(data: str | bytes, max_bytes: int) -> str:
    try:
        encoded = data.encode() if isinstance(data, str) else data
        if len(encoded) > max_bytes:
            raise BadJson([Problem("$", f"{len(encoded)} bytes; at most {max_bytes} are taken")])
        return data if isinstance(data, str) else data.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        raise BadJson([Problem("$", f"no UTF-8: {error.reason}")]) from None


def _depth(text: str) -> int:
    """Return how deep the brackets outside of strings go."""
    depth = deepest = 0
    for token in _BRACKETS.findall(text):
        if token in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif token in ("]", "}"):
            depth -= 1
    return deepest


class _Inspection:
    """Counts the values of a tree and finds what does not belong there."""

    def __init__(self) -> None:
        self.nodes = 0
        self.problems: list[Problem] = []

    def look(self, value: object, path: str) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES or len(self.problems) > MAX_PROBLEMS:
            return
        match value:
            case str():
                self._text(value, path)
            case list():
                for i, entry in enumerate(value):
                    self.look(entry, step(path, i))
            case dict():
                if isinstance(value, _Repeated):
                    for name in value.repeated:
                        self.problems.append(Problem(step(path, name), "given twice"))
                for name, entry in value.items():
                    self._text(name, path)
                    self.look(entry, step(path, name))
            case _Fault():
                self.problems.append(Problem(path, value.problem))

    def _text(self, text: str, path: str) -> None:
        if not is_clean(text):
            self.problems.append(Problem(path, "text with U+0000 or half a surrogate pair"))


# --- writing ---------------------------------------------------------------------------------


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def write(value: dict[str, Json], max_bytes: int) -> str:
    """Return the object as compact JSON.

    Raises:
        LocalProtocolError: It is not within the limits, so the other end would refuse it.
    """
    nodes = 1 + _measure(value, MAX_DEPTH)
    if nodes > MAX_NODES:
        raise LocalProtocolError(f"{nodes} values; at most {MAX_NODES} may be sent")
    text = _encode(value)
    if "\\u0000" in text or not text.isascii():
        inspection = _Inspection()
        inspection.look(value, "$")
        if inspection.problems:
            raise LocalProtocolError(str(BadJson(inspection.problems)))
    if 3 * len(text) > max_bytes and len(text.encode()) > max_bytes:
        raise LocalProtocolError(f"{len(text.encode())} bytes; at most {max_bytes} may be sent")
    return text


def _measure(value: dict[str, Any] | list[Any] | tuple[Any, ...], depth: int) -> int:
    """Return how many values there are within `value`, which may nest `depth` deep.

    This runs over every update that is sent, so leaves are told apart without a call each.
    """
    if depth == 0:
        raise LocalProtocolError(f"more than {MAX_DEPTH} objects and arrays in each other")
    entries: Iterable[Any] = value
    if isinstance(value, dict):
        entries = value.values()
        for name in value:
            if type(name) is not str:
                raise LocalProtocolError("the name of a field is no text")
    nodes = len(value)
    for entry in entries:
        kind = type(entry)
        if kind is str or kind is bool or entry is None:
            continue
        if kind is int:
            if not -MAX_INTEGER <= entry <= MAX_INTEGER:
                raise LocalProtocolError(f"a number beyond {MAX_INTEGER}")
        elif kind is dict or kind is list or kind is tuple:
            nodes += _measure(entry, depth - 1)
        elif not isinstance(entry, str):  # members of a StrEnum are text
            raise LocalProtocolError(f"{kind.__name__} is no JSON")
    return nodes
