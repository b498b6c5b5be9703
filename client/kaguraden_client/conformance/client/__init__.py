"""What the kit asks of clients: a scripted server, and clauses that judge what a client did."""

from .clauses import CLIENT
from .host import Judge, Settings, scripted_server

__all__ = ["CLIENT", "Judge", "Settings", "scripted_server"]
