"""What values are on the wire, beyond their types: for the published schema, which alone reads it.

Views, events and the args of options hold texts and numbers; here they are annotated with the words
and bounds that they keep to. Nothing checks them at run time. A mark says with `schema` what it
means, in the words of JSON Schema.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, TypeAlias

from attrs import field, frozen

__all__ = ["Like", "Natural", "OneOf", "Ordinal", "Within"]


@frozen
class Within:
    """A whole number from `low`, to `high` if there is a most."""

    low: int
    high: int | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema."""
        return {"minimum": self.low} | ({} if self.high is None else {"maximum": self.high})


def _words(given: type[enum.StrEnum] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(word) for word in given)


@frozen
class OneOf:
    """One of these words, or of those of an enumeration."""

    words: tuple[str, ...] = field(converter=_words)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the words as JSON Schema."""
        return {"enum": list(self.words)}


@frozen
class Like:
    """A plain JSON object that has the shape of a class."""

    shape: type[Any]


Natural: TypeAlias = Annotated[int, Within(0)]
Ordinal: TypeAlias = Annotated[int, Within(1)]
