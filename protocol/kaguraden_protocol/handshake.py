"""Who may say what, and when.

A connection is *new* until its `hello` is granted, and *open* from then on. While it is new, a
client may say `hello` and nothing else, as often as it takes (a bad name is no reason to dial
again), and the server says nothing but replies. Once it is open, a client may say anything but
`hello`.

Requests that cannot be understood do not change the state, but too many of them in a row end it:
the other end speaks something else. A request that is understood breaks the row, even one that is
refused; so does an answer whose value fits no option (`bad_value`), which is a request all the same.

How many requests may be without a reply is no matter of state: a server that has enough of them
reads no further. That ids are not used again before their reply is for clients to mind, who could
not tell the replies apart.

`Listener` keeps this for the server's end of a connection; clients take the table.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import define, field

from kaguraden_protocol import codec
from kaguraden_protocol.errors import CloseCode, ErrorCode, Problem, RemoteProtocolError
from kaguraden_protocol.limits import MAX_BAD_MESSAGES, Limits
from kaguraden_protocol.messages import REQUESTS, Act, Hello, Request, RequestId

__all__ = ["ALLOWED", "Listener", "State"]


class State(enum.StrEnum):
    """How far a connection is."""

    NEW = "new"
    OPEN = "open"


ALLOWED: Final[Mapping[State, frozenset[type[Request]]]] = MappingProxyType(
    {
        State.NEW: frozenset({Hello}),
        State.OPEN: frozenset(REQUESTS.values()) - {Hello},
    }
)


@define
class Listener:
    """The server's ear for one connection: frames in, requests out, in order.

    Every frame given to `receive` wants one reply, whether it was a request or an error; `answered`
    is called for each reply to a request that was returned, before the next frame.
    """

    limits: Limits = field(factory=Limits)
    state: State = State.NEW
    bad_in_a_row: int = field(default=0, init=False)

    def receive(self, data: str | bytes) -> Request:
        """Return the request of a frame.

        Raises:
            RemoteProtocolError: There is none, or it may not be made now. `close_code` says
                whether the connection ends after the reply.
        """
        try:
            request = codec.decode_request(data, self.limits)
        except RemoteProtocolError as error:
            if error.code is not ErrorCode.BAD_VALUE:
                self.bad_in_a_row += 1
                raise
            self.bad_in_a_row = 0
            self._check(Act, error.re)
            raise
        self.bad_in_a_row = 0
        self._check(type(request), request.id)
        return request

    def _check(self, kind: type[Request], re: RequestId | None) -> None:
        """Refuse a request that may not be made now."""
        if kind not in ALLOWED[self.state]:
            opening = self.state is State.NEW
            code = ErrorCode.HELLO_REQUIRED if opening else ErrorCode.ALREADY_OPEN
            problem = "hello comes first" if opening else "hello comes once"
            raise RemoteProtocolError(code, re, [Problem("$.type", problem)])

    def answered(self, request: Request, *, granted: bool) -> None:
        """Note the reply to a request; a granted `hello` opens the connection."""
        if granted and isinstance(request, Hello) and self.state is State.NEW:
            self.state = State.OPEN

    @property
    def close_code(self) -> CloseCode | None:
        """The code to close with now, or None while the connection goes on."""
        return CloseCode.ABUSE if self.bad_in_a_row >= MAX_BAD_MESSAGES else None
