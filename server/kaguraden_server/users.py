"""Who people are: a public id, a secret token, and what it means to come back.

There are no accounts. A user is made at the first `hello` and is whoever holds its token. Only the
hash of a token is kept. Each `hello` replaces the token; the ones before stay good for a while,
because the reply that brought the new one may have been lost.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

import trio
from attrs import define, field

if TYPE_CHECKING:
    from .connection import Connection

__all__ = ["User", "Users"]

TOKEN_BYTES = 24  # 192 bits
MAX_KEPT_TOKENS = 4  # of a user; beyond, those that nobody came back with go first


@define(eq=False)
class User:
    """One user. `rooms` are the codes of the rooms it is a member of."""

    id: str
    name: str
    bot: bool = False
    was_bot: bool = False  # whether it ever said that it was one
    level: str | None = None  # of a bot: what it calls itself
    rooms: set[str] = field(factory=set)
    connection: Connection | None = None
    is_kept: bool = False  # whether the journal has it
    open_connections: int = 0  # with those that were taken over and are still closing
    seen: float = 0.0  # when it was last connected
    chats: list[float] = field(factory=list)  # when it last said something
    tokens: dict[bytes, float | None] = field(factory=dict, repr=False)  # hash: good until

    @property
    def is_here(self) -> bool:
        """Tell whether a connection is open for it."""
        return self.connection is not None


class Users:
    """All users that are known."""

    def __init__(self, *, grace_ms: int, keep_s: int, most: int) -> None:
        self.adopt(grace_ms=grace_ms, keep_s=keep_s, most=most)
        self._users: dict[str, User] = {}
        self._by_token: dict[bytes, User] = {}
        self.gone: list[str] = []  # ids of kept users forgotten since somebody last looked

    def adopt(self, *, grace_ms: int, keep_s: int, most: int) -> None:
        """Remember users by these bounds from now on."""
        self._grace_s = grace_ms / 1000
        self._keep_s = keep_s
        self._most = most

    def __len__(self) -> int:
        return len(self._users)

    def __iter__(self) -> Iterator[User]:
        return iter(self._users.values())

    def get(self, user_id: str) -> User | None:
        """Return the user of this id."""
        return self._users.get(user_id)

    def add(self, name: str, *, bot: bool = False) -> User:
        """Make a user; it has no token yet."""
        if len(self._users) >= self._most:
            self.forget(early=True)
        user = User(secrets.token_hex(6), name, bot, seen=trio.current_time())
        self._users[user.id] = user
        return user

    def renew(self, user: User) -> str:
        """Return a new token for the user; the ones before are good for the grace only."""
        now = trio.current_time()
        for old, until in list(user.tokens.items()):
            if until is None:
                user.tokens[old] = now + self._grace_s
            elif until <= now:
                self._drop(user, old)
        while len(user.tokens) >= MAX_KEPT_TOKENS:
            self._drop(user, next(iter(user.tokens)))
        token = secrets.token_urlsafe(TOKEN_BYTES)
        hashed = _hash(token)
        user.tokens[hashed] = None
        self._by_token[hashed] = user
        return token

    def take_back(self, user: User, token: str) -> None:
        """Forget a token that its user was not told; the one that it came with is good as before."""
        self._drop(user, _hash(token))
        if user.tokens and None not in user.tokens.values():
            user.tokens[next(reversed(user.tokens))] = None

    def resume(self, token: str) -> User | None:
        """Return the user whose token this is, if it is still good."""
        hashed = _hash(token)
        user = self._by_token.get(hashed)
        if user is None:
            return None
        until = user.tokens[hashed]
        if until is not None and until <= trio.current_time():
            self._drop(user, hashed)
            return None
        # Whoever loses the replies comes with this token again: the others are dropped before it.
        user.tokens[hashed] = user.tokens.pop(hashed)
        return user

    def remove(self, user: User) -> None:
        """Forget a user."""
        for hashed in list(user.tokens):
            self._drop(user, hashed)
        if self._users.pop(user.id, None) is not None and user.is_kept:
            self.gone.append(user.id)

    def restore(self, user: User) -> None:
        """Know a user again who was known before a restart."""
        self._users[user.id] = user
        user.is_kept = True
        for hashed in user.tokens:
            self._by_token[hashed] = user

    def forget(self, *, early: bool = False) -> None:
        """Forget who is away, in no room and, unless it is to be `early`, not seen for long."""
        now = trio.current_time()
        for user in list(self._users.values()):
            is_idle = not user.is_here and not user.rooms
            if is_idle and (early or now - user.seen >= self._keep_s):
                self.remove(user)

    def _drop(self, user: User, hashed: bytes) -> None:
        user.tokens.pop(hashed, None)
        self._by_token.pop(hashed, None)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
