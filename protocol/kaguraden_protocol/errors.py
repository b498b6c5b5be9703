"""What can go wrong, by codes that are part of the protocol's version.

Programs decide on codes, never on texts. The texts for people are the server's.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = [
    "CLOSE_REASONS",
    "CloseCode",
    "ErrorCode",
    "LocalProtocolError",
    "NoticeCode",
    "Problem",
    "ProtocolError",
    "RefusedError",
    "RemoteProtocolError",
]


class ErrorCode(enum.StrEnum):
    """Why a request was refused. Clients take one that they do not know as a plain refusal."""

    BAD_JSON = "bad_json"  # no JSON object within the limits of the transport
    BAD_MESSAGE = "bad_message"  # a field is missing, unknown, of the wrong type or size
    UNKNOWN_TYPE = "unknown_type"  # no request of this name
    HELLO_REQUIRED = "hello_required"
    ALREADY_OPEN = "already_open"
    BAD_NAME = "bad_name"
    BAD_PASSWORD = "bad_password"  # noqa: S105 - a code, not a password
    TOO_MANY_REQUESTS = "too_many_requests"
    LIMIT_REACHED = "limit_reached"
    ROOM_NOT_FOUND = "room_not_found"
    ROOM_FULL = "room_full"
    ROOM_STARTED = "room_started"
    ROOM_OVER = "room_over"
    NOT_MEMBER = "not_member"
    NOT_SEATED = "not_seated"
    NOT_HOST = "not_host"
    SEAT_TAKEN = "seat_taken"
    NOT_READY = "not_ready"
    BAD_OPTIONS = "bad_options"
    BAD_DECK = "bad_deck"
    STALE = "stale"
    ILLEGAL_OPTION = "illegal_option"
    BAD_VALUE = "bad_value"
    NOT_YOUR_DECISION = "not_your_decision"
    NOT_OVER = "not_over"
    DRAINING = "draining"
    UNAVAILABLE = "unavailable"  # the outcome is unknown; resend the same
    UNSUPPORTED = "unsupported"
    INTERNAL = "internal"  # a fault of the server; `details.reference` is in its log


class NoticeCode(enum.StrEnum):
    """What a notice is about. Clients show the message of one that they do not know."""

    DRAINING = "draining"
    ROOM_CLOSING = "room_closing"
    HOST_CHANGED = "host_changed"
    REMATCH = "rematch"
    DECK_DROPPED = "deck_dropped"
    PAUSE = "pause"  # somebody asks for one
    PAUSED = "paused"
    UNPAUSED = "unpaused"
    ANNOUNCEMENT = "announcement"  # what who runs the server has to say, in `text`


class CloseCode(enum.IntEnum):
    """Why the server closed a connection."""

    NORMAL = 1000
    BINARY = 1003
    INVALID_UTF8 = 1007
    TOO_LARGE = 1009
    INTERNAL = 1011
    RESTARTING = 1012
    ABUSE = 4000
    NO_HELLO = 4001
    TOO_SLOW = 4003
    TAKEN_OVER = 4004
    REFUSED = 4005
    RATE = 4006


CLOSE_REASONS: Mapping[CloseCode, str] = MappingProxyType(
    {
        CloseCode.NORMAL: "goodbye",
        CloseCode.BINARY: "only text frames are understood",
        CloseCode.INVALID_UTF8: "text was not UTF-8",
        CloseCode.TOO_LARGE: "message too large",
        CloseCode.INTERNAL: "resumable: internal error",
        CloseCode.RESTARTING: "resumable: restarting, come back in 0-5 s",
        CloseCode.ABUSE: "too many bad messages in a row",
        CloseCode.NO_HELLO: "no hello in time",
        CloseCode.TOO_SLOW: "resumable: reading too slowly",
        CloseCode.TAKEN_OVER: "resumed on another connection",
        CloseCode.REFUSED: "refused or removed",
        CloseCode.RATE: "resumable: too many requests, come back in 30 s",
    }
)
"""The only reasons there are: ASCII, short, and beginning with `resumable` where that works."""


@frozen
class Problem:
    """One fault in a message, in options or in a deck: where (`$.seat`), and what is wrong."""

    path: str
    problem: str


class ProtocolError(Exception):
    """Something that the protocol does not allow was sent, or would have been."""


class RemoteProtocolError(ProtocolError):
    """The other end sent what is no message.

    Attributes:
        code: What to answer with, if the other end is a client.
        re: The id of the request, or None if none could be read.
        problems: At least one, at most `limits.MAX_PROBLEMS`; none quotes without bound.
    """

    def __init__(self, code: ErrorCode, re: int | str | None, problems: Sequence[Problem]) -> None:
        super().__init__(f"{code}: " + "; ".join(f"{p.problem} @ {p.path}" for p in problems))
        self.code = code
        self.re = re
        self.problems = tuple(problems)


class LocalProtocolError(ProtocolError):
    """This end was about to send what the protocol does not allow: a bug here."""


class RefusedError(Exception):
    """A well-formed request that is refused: full, over, not allowed.

    Attributes:
        code: Why.
        details: What a program needs to know about it; never anything hidden.
    """

    def __init__(self, code: ErrorCode, details: Mapping[str, Json] | None = None) -> None:
        super().__init__(f"{code} {dict(details)}" if details else str(code))
        self.code = code
        self.details: dict[str, Json] = dict(details or {})
