"""The clauses that a server has to keep."""

from . import deals, opening, playing, requests, returning, rooms, transport
from .registry import SERVER

__all__ = ["SERVER", "deals", "opening", "playing", "requests", "returning", "rooms", "transport"]
