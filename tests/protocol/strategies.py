"""Hypothesis strategies made from the message classes, so that a new field is covered at once."""

from __future__ import annotations

import enum
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from kaguraden_protocol._checks import Integer, Items, Size
from kaguraden_protocol.limits import MAX_INTEGER
from kaguraden_protocol.messages import (
    PUSHES,
    REQUESTS,
    RESULTS,
    Daily,
    Deck,
    Error,
    Kick,
    Ok,
    Ready,
    UnknownSpec,
)

MESSAGES: tuple[type[Any], ...] = (*REQUESTS.values(), Ok, Error, *PUSHES.values())
RESULT_CLASSES = tuple(RESULTS.values())

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.text(characters, max_size=12)
integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
json_values = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
hex_nonces = st.binary(min_size=16, max_size=64).map(bytes.hex)
iso_dates = st.dates().map(lambda date: date.isoformat())


def messages(cls: type[Any]) -> SearchStrategy[Any]:
    """Return the strategy for a message, result or part."""
    attrs.resolve_types(cls)
    fields = {field.name: _of_field(field) for field in attrs.fields(cls)}
    if cls is Deck:
        cards = st.builds(cls, **{**fields, "starter": st.none(), "cards": _items(fields, 20)})
        return cards | st.builds(cls, **{**fields, "starter": st.just(True), "cards": st.none()})
    if cls is Kick:
        seat = st.builds(cls, **{**fields, "user": st.none(), "seat": st.integers(0, 15)})
        return seat | st.builds(cls, **{**fields, "seat": st.none(), "user": words})
    if cls is Ready:
        fields["nonce"] = st.none() | hex_nonces
    if cls is Daily:
        fields["date"] = st.none() | iso_dates
    return st.builds(cls, **fields)


words = st.text(characters, min_size=1, max_size=64)


def _items(_: object, most: int) -> SearchStrategy[Any]:
    return st.lists(words, max_size=most).map(tuple)


def _of_field(field: attrs.Attribute[Any]) -> SearchStrategy[Any]:
    check: object = field.validator
    if field.name == "id" and field.type == int | str:
        return integers | words
    optional = st.none() if field.default is None else st.nothing()
    match check:
        case Size():
            return optional | st.text(characters, min_size=check.low, max_size=min(check.high, 80))
        case Integer():
            return optional | st.integers(check.low, check.high)
        case Items():
            tuples = st.lists(
                st.text(characters, min_size=1, max_size=check.longest), max_size=min(check.high, 5)
            ).map(tuple)
            return optional | tuples | (integers if int in get_args(field.type) else st.nothing())
    return of_type(field.type)


def of_type(wanted: Any) -> SearchStrategy[Any]:
    """Return the strategy for an annotation."""
    if wanted is Any:
        return json_values
    if wanted is UnknownSpec:
        return st.nothing()
    if get_origin(wanted) is Annotated:
        _, bounds = get_args(wanted)
        return st.integers(bounds.low, bounds.high)
    if get_origin(wanted) in (Union, UnionType):
        return st.one_of([of_type(kind) for kind in get_args(wanted)])
    if get_origin(wanted) is tuple:
        return st.lists(of_type(get_args(wanted)[0]), max_size=3).map(tuple)
    if get_origin(wanted) is dict:
        return json_objects
    simple = {str: texts, bool: st.booleans(), int: integers, NoneType: st.none()}
    if wanted in simple:
        return simple[wanted]
    if issubclass(wanted, enum.Enum):
        return st.sampled_from(list(wanted))
    return messages(wanted)
