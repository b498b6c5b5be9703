"""What a program that uses the package is told when something does not work.

One `except ClientError` takes them all:

- `CannotConnect` (`shell`): no server answers at the address, or none that takes a hello.
- `RequestFailed` (`shell`): the server refused a request.
- `SessionStopped` (`shell`): there is no way back to the server.
- `TableClosed` (`play`): this client is no longer at the table.
- `NotSent`, a `ValueError` too: the program asked for what cannot be sent.
- `NoValue`, a `NotSent`: no value fits what an option takes along.
"""

from __future__ import annotations

__all__ = ["ClientError", "NoValue", "NotSent"]


class ClientError(Exception):
    """Any of the errors that the package tells its users."""


class NotSent(ClientError, ValueError):
    """What was asked for cannot be sent as it is, so nothing was; `__cause__` is who found it."""


class NoValue(NotSent):
    """Nothing fits what the option takes: its kind is of a later version, or its bounds clash."""
