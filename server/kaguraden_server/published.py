"""The protocol in files for programs: schemas, and the AsyncAPI document.

The protocol knows the messages and the rules know their games; here the two are put together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import attrs
from kaguraden_protocol import asyncapi, messages, schema
from kaguraden_rules import kernel
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import AUDIENCE, CardId, Game, SeatId

__all__ = ["ASYNCAPI", "PATHS", "SCHEMA", "document", "text"]

SPECS: Final[Mapping[Any, Any]] = {
    None: None,
    kernel.IntValue: messages.IntSpec,
    kernel.CardsValue: messages.CardsSpec,
    kernel.OrderValue: messages.OrderSpec,
}
CARD: Final = {"description": "A card by its face, or its id in the catalogue.", "type": "string"}


GAME_PATHS: Final = {f"games/{game_id}.json": game_id for game_id in GAMES}
SCHEMA: Final = "schema.json"
ASYNCAPI: Final = "asyncapi.json"
PATHS: Final = (SCHEMA, ASYNCAPI, *GAME_PATHS)  # below `/protocol/v1/`


def document(path: str) -> schema.Schema:
    """Return one of the documents as a JSON object, which is the caller's own.

    Raises:
        KeyError: There is none at this path.
    """
    found: schema.Schema = json.loads(text(path))
    return found


@cache
def text(path: str) -> str:
    """Return a document as the text of its file; KeyError as above."""
    return json.dumps(_build(path), ensure_ascii=False, indent=1) + "\n"


def _build(path: str) -> schema.Schema:
    if path == SCHEMA:
        return schema.build()
    if path == ASYNCAPI:
        return asyncapi.build(GAME_PATHS)
    return game_schema(GAMES[GAME_PATHS[path]])


def game_schema(game: Game[Any, Any]) -> schema.Schema:
    """Return the schema of a game's updates."""
    shapes = game.shapes
    most = game.seats[1] - 1
    seat = {"description": "A seat's number.", "type": "integer", "minimum": 0, "maximum": most}
    return schema.build_game(
        schema.Game(
            id=game.id,
            rules=game.rules,
            view=shapes.view,
            phases=tuple(map(str, shapes.phases)),
            outcome=kernel.Outcome,
            rank=shapes.rank,
            reasons=tuple(map(str, shapes.reasons)),
            events=shapes.events,
            decisions={
                str(kind): tuple(
                    schema.OptionKind(option.kind, option, tuple(SPECS[v] for v in option.values))
                    for option in options
                )
                for kind, options in shapes.decisions.items()
            },
            options=game.options_schema(),
            names={SeatId: ("SeatId", seat), CardId: ("CardId", CARD)},
            alike={kernel.Text: messages.Text, kernel.Rank: shapes.rank},
            is_sent=lambda field: not AUDIENCE.items() <= field.metadata.items(),
            note=_private_to,
        )
    )


def _private_to(field: attrs.Attribute[Any]) -> str | None:
    """Say who alone is told of a private field of an event."""
    owners = field.metadata.get("owners")
    if owners is None:
        return None
    return f"There for {' and '.join(f'`{owner}`' for owner in owners)} alone."
