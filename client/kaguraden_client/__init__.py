"""The client: a session without I/O, shells that give it a connection, bots and a terminal client.

Who writes a bot needs only what stands here, see `play`.
"""

from kaguraden_protocol.messages import Decision, Option, ValueSpec

from .errors import ClientError, NotSent, NoValue
from .play import BotTable, House, TableClosed, connect
from .shell import CannotConnect, RequestFailed, SessionStopped
from .values import any_value, least_value, usable

__all__ = [
    "BotTable",
    "CannotConnect",
    "ClientError",
    "Decision",
    "House",
    "NoValue",
    "NotSent",
    "Option",
    "RequestFailed",
    "SessionStopped",
    "TableClosed",
    "ValueSpec",
    "any_value",
    "connect",
    "least_value",
    "usable",
]
