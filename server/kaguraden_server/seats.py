"""Who is in a room: its seats, its members, and how both look from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field
from kaguraden_protocol.messages import SeatInfo
from kaguraden_rules.kernel import CardId, SeatId

if TYPE_CHECKING:
    from .bots import BotRun
    from .connection import Connection
    from .users import User

__all__ = ["Member", "Seat", "host_after"]


@define(eq=False)
class Member:
    """Somebody in a room, seated or watching.

    `connection` is the one that the room knows of; `is_told` says whether it has been told about the
    room, `is_synced` whether it is sent the updates of the game. Bots that the server runs are
    `inside`.
    """

    user: User
    name: str
    inside: bool = False
    connection: Connection | None = None
    is_synced: bool = False
    is_told: bool = False


@define(eq=False)
class Seat:
    """A seat. `owner` is the user who holds it; `bot` plays it, by right or standing in."""

    number: SeatId
    owner: str | None = None
    bot: BotRun | None = None
    ready: bool = False
    nonce: str = ""
    deck: tuple[CardId, ...] | None = None  # None: the starter deck
    passes: dict[str, bool] = field(factory=dict)  # standing answers, by kind of window
    wants_pause: bool = False
    away_since: float | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody holds it and no bot plays it."""
        return self.owner is None and self.bot is None

    @property
    def is_vacant(self) -> bool:
        """Tell whether nobody will ever answer for it, as things stand."""
        return self.owner is None and (self.bot is None or self.bot.has_ended)

    @property
    def is_ready(self) -> bool:
        """Tell whether it is filled and ready; a bot always is."""
        return self.bot is not None or (self.owner is not None and self.ready)

    @property
    def player(self) -> str | None:
        """Return the id of the user who plays it."""
        return self.bot.user.id if self.bot is not None else self.owner

    def is_held_by(self, user: User) -> bool:
        """Tell whether the user plays it or owns it."""
        return user.id in {self.owner, self.player}

    def vacate(self) -> None:
        """Take the owner out; a bot that stood in stays."""
        self.owner = None
        self.ready = False
        self.nonce = ""
        self.deck = None
        self.passes = {}
        self.wants_pause = False
        self.away_since = None

    def info(self, member: Member | None, *, host: bool, playing: bool) -> SeatInfo:
        """Return the seat as everybody sees it. `member` is who owns it, or else its bot."""
        if self.is_empty or member is None:
            return SeatInfo(seat=self.number)
        bot = member.user.level
        away = self.away_since is not None
        if self.bot is not None:
            bot = self.bot.level
            away = away or (playing and self.bot.has_ended)
        return SeatInfo(
            seat=self.number,
            user=member.user.id,
            name=member.name,
            bot=bot,
            ready=self.is_ready,
            away=away or None,
            host=host or None,
            pause=self.wants_pause or None,
        )


def host_after(seats: Sequence[Seat], members: Iterable[Member]) -> str | None:
    """Return who is host next: the first in a seat who is here, else anybody in a seat."""
    by_id = {m.user.id: m for m in members if not m.inside}
    seated = [by_id[s.owner] for s in seats if s.owner is not None and s.owner in by_id]
    here = [m for m in seated if m.user.is_here]
    chosen = (here or seated)[:1]
    return chosen[0].user.id if chosen else None
