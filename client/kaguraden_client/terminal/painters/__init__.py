"""Painters: pure functions from a view, a language and a width to lines of styled text."""

from __future__ import annotations

from .base import Card, Catalog, Context
from .enbu import EnbuPainter
from .generic import Lines, Painter, paragraphs
from .odoriko import OdorikoPainter
from .yumeochi import YumeochiPainter

__all__ = ["Card", "Catalog", "Context", "Lines", "Painter", "painter_for", "paragraphs"]

_GENERIC = Painter()
_OWN = {painter.game: painter for painter in (OdorikoPainter(), EnbuPainter(), YumeochiPainter())}


def painter_for(game: str) -> Painter:
    """Return the painter of a game: its own, or the one for games never heard of."""
    return _OWN.get(game, _GENERIC)
