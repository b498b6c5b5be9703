"""How much of everything there may be.

The constants are part of version 1: they bound what a message may hold. `Limits` are a server's
own, told to clients in the reply to `hello`; its defaults are those of the specification.
"""

from __future__ import annotations

from attrs import frozen

__all__ = [
    "MAX_BAD_MESSAGES",
    "MAX_CARDS",
    "MAX_CHAT_CHARACTERS",
    "MAX_DEPTH",
    "MAX_ID_CHARACTERS",
    "MAX_INTEGER",
    "MAX_LIST",
    "MAX_NAME_CELLS",
    "MAX_NODES",
    "MAX_NONCE_BYTES",
    "MAX_OPTION_CHARACTERS",
    "MAX_PASSWORD_CHARACTERS",
    "MAX_PROBLEMS",
    "MAX_REASON_BYTES",
    "MAX_SEATS",
    "MAX_TITLE_CELLS",
    "MAX_TITLE_CHARACTERS",
    "MAX_TOKEN_CHARACTERS",
    "MAX_WORD_CHARACTERS",
    "MIN_NONCE_BYTES",
    "Limits",
]

# --- JSON (RFC 7493, and what keeps a small frame from costing much) -------------------------
MAX_DEPTH = 32  # objects and arrays in each other; views need 8
MAX_NODES = 4_096  # values in a frame; a big update has some hundreds
MAX_INTEGER = 2**53 - 1  # what every language's JSON numbers hold exactly

# --- the envelope ----------------------------------------------------------------------------
MAX_ID_CHARACTERS = 64  # of a request's id, if it is a string
MAX_BAD_MESSAGES = 20  # in a row; then the connection is closed with 4000
MAX_PROBLEMS = 8  # told in one refusal; whoever sends more faults fixes these first
MAX_REASON_BYTES = 60  # of a close frame's reason

# --- fields ----------------------------------------------------------------------------------
MAX_NAME_CELLS = 24  # six names stand side by side on a wide terminal
MAX_TITLE_CELLS = 48  # a line of the room list
MAX_TITLE_CHARACTERS = 100  # of a title as sent
MAX_CHAT_CHARACTERS = 500
MAX_PASSWORD_CHARACTERS = 128
MAX_TOKEN_CHARACTERS = 256  # tokens of the server are shorter
MAX_WORD_CHARACTERS = 64  # ids and names for programs: rooms, users, games, cards, versions
MAX_OPTION_CHARACTERS = 256  # option ids spell out their arguments
MAX_LIST = 64  # entries of a value that lists cards; no hand, lot or field holds more
MAX_CARDS = 200  # of a deck as sent; the game says how many it takes
MAX_SEATS = 16  # more than any game has
MIN_NONCE_BYTES = 16
MAX_NONCE_BYTES = 64


@frozen
class Limits:
    """What one server allows. Sizes in bytes, times in milliseconds, the rest are counts."""

    frame_in_bytes: int = 16 * 1024  # a request; over it: close 1009
    frame_out_bytes: int = 256 * 1024  # a reply or push
    pending_requests: int = 16  # unanswered, per connection
    burst_requests: int = 40  # the bucket of one connection
    requests_per_second: int = 20  # how fast it fills again
    abuse_buckets: int = 3  # refused requests, in buckets, within abuse_ms: close 4006
    abuse_ms: int = 10_000
    chat_messages: int = 5  # per user within chat_ms
    chat_ms: int = 10_000
    connections_per_address: int = 64
    connections_per_user: int = 8
    connections: int = 10_000
    rooms_per_user: int = 8
    rooms_per_address: int = 512  # opened from it, over or not: 64 connections with 8 rooms each
    rooms: int = 10_000
    spectators_per_room: int = 200
    queue_messages: int = 256  # outbound, per connection; over it updates collapse into one
    queue_bytes: int = 512 * 1024
    write_ms: int = 5_000  # one write that takes longer: the reader is stuck and is cut
    hello_ms: int = 10_000  # from the handshake to `hello`; over it: close 4001
    token_grace_ms: int = 30_000  # how long the token before the last stays valid
    resume_updates: int = 64  # kept per viewer for `sync`
    chat_history: int = 100  # lines sent to who joins or resumes
