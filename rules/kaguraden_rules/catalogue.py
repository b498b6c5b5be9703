"""The games of the hall, by their names on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kaguraden_rules.kernel import Game
from kaguraden_rules.odoriko.game import Odoriko

__all__ = ["GAMES"]

GAMES: Mapping[str, Game[Any, Any]] = MappingProxyType({"odoriko": Odoriko()})
