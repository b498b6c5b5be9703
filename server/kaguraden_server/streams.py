"""What each viewer of a game has been shown: numbered updates.

There is one stream for each seat, and one that all spectators share.

An update is made for a viewer only when that viewer's view, decisions, clocks or events change, and
it gets the stream's next number, so neither the number nor the absence of an update tells what
others did. `advance` makes the updates of a step without touching the stream and `commit` adopts
them, so that what a step causes can be held back until the step is durable.

The last few updates are kept for who comes back. Their clocks are turned into durations when they
are sent, not when they are made.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen
from kaguraden_protocol import codec
from kaguraden_protocol.errors import LocalProtocolError
from kaguraden_protocol.limits import MAX_NODES, Limits
from kaguraden_rules.kernel import CardsValue, Decision, Event, IntValue, OrderValue, View, redact
from kaguraden_rules.plain import to_plain

from .patches import diff, view_hash

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json, Viewer

    from .clocks import Mark

__all__ = ["Seen", "Stream", "Update", "count_nodes", "decision_to_wire", "dump", "events_to_wire"]

HASH_EVERY = 32  # updates; then one with a patch also tells the view's hash
SMALL = 2 * MAX_NODES  # bytes: whatever is shorter has fewer values than a frame may hold


def dump(value: object) -> bytes:
    """Return JSON text without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def events_to_wire(events: Iterable[Event], viewer: Viewer) -> list[Json]:
    """Return those events that a viewer may know of, as it may see them."""
    told = (redact(event, viewer) for event in events)
    return [to_plain(event) for event in told if event is not None]


def view_to_wire(view: View) -> dict[str, Json]:
    """Return a view as a JSON object; it was made for one viewer and holds nothing else."""
    plain = to_plain(view)
    if not isinstance(plain, dict):
        raise TypeError(f"a view is an object, not {type(plain).__name__}")
    return plain


def decision_to_wire(decision: Decision) -> dict[str, Any]:
    """Return a decision as on the wire."""
    wire: dict[str, Any] = {
        "id": decision.id,
        "kind": decision.kind,
        "options": [],
        "default": decision.default,
        "sealed": decision.sealed,
    }
    if decision.prompt is not None:
        wire["prompt"] = to_plain(decision.prompt)
    for option in decision.options:
        entry: dict[str, Any] = {
            "id": option.id,
            "kind": option.kind,
            "args": to_plain(option.args),
        }
        match option.value:
            case IntValue(low, high):
                entry["value"] = {"type": "int", "min": low, "max": high}
            case CardsValue(among, low, high):
                entry["value"] = {"type": "cards", "from": list(among), "min": low, "max": high}
            case OrderValue(of):
                entry["value"] = {"type": "order", "of": list(of)}
        wire["options"].append(entry)
    return wire


@frozen
class Seen:
    """What a viewer sees of a position."""

    view: dict[str, Json]
    text: bytes  # of the view
    decisions: bytes
    marks: tuple[Mark, ...]


@frozen
class Update:
    """One update of a stream; its clocks are not yet durations."""

    room: str
    seq: int
    full: bool
    events: bytes
    decisions: bytes
    marks: tuple[Mark, ...]
    view: bytes
    patch: bytes | None = None  # in place of the view
    hash: str | None = None  # of the view, where a patch says it

    @property
    def size(self) -> int:
        """Return about how many bytes the text will be."""
        return len(self.events) + len(self.decisions) + len(self.view) + 100 * len(self.marks) + 100

    def render(self, now: float, *, patch: bool = False) -> bytes:
        """Return the text to send at `now`."""
        head = f'{{"type":"update","room":"{self.room}","seq":{self.seq}'.encode()
        clock = dump([codec.to_wire(mark.to_wire(now)) for mark in self.marks])
        parts = [
            head,
            b',"full":true' if self.full else b',"full":false',
            b',"events":' + self.events,
        ]
        if patch and self.patch is not None and not self.full:
            if self.patch != b"[]":
                parts.append(b',"patch":' + self.patch)
            if self.hash is not None:
                parts.append(f',"hash":"{self.hash}"'.encode())
        else:
            parts.append(b',"view":' + self.view)
        parts += [b',"decisions":' + self.decisions, b',"clock":' + clock, b"}"]
        return b"".join(parts)


@define(eq=False)
class Stream:
    """The updates of one viewer."""

    room: str
    viewer: Viewer
    limits: Limits
    patches: bool = False  # whether anybody may want them
    seq: int = 0
    seen: Seen | None = None
    kept: deque[Update] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.kept = deque(maxlen=self.limits.resume_updates)

    def advance(
        self,
        view: View,
        decision: Decision | None,
        marks: tuple[Mark, ...],
        events: Sequence[Json],
        reveal: Mapping[str, Json] | None = None,
    ) -> tuple[Seen, Update | None]:
        """Return what the viewer sees now and the update that tells it, if there is news.

        Args:
            view: The position, made for this viewer.
            decision: The viewer's own open decision.
            marks: The clocks as this viewer sees them.
            events: What happened since, as this viewer may see it.
            reveal: What the outcome tells of the deal's fairness, when the game is over.

        Raises:
            LocalProtocolError: The game has more to show than fits into a frame; a bug of its.
        """
        plain = view_to_wire(view)
        outcome = plain.get("outcome")
        if reveal is not None and isinstance(outcome, dict):
            outcome["fairness"] = dict(reveal)
        decisions = [] if decision is None else [decision_to_wire(decision)]
        seen = Seen(plain, dump(plain), dump(decisions), marks)
        before = self.seen
        if before is not None and not events and _same(before, seen):
            return seen, None
        seq = self.seq + 1
        patch = hashed = None
        if self.patches and before is not None:
            patch = dump(diff(before.view, plain))
            hashed = view_hash(plain) if seq % HASH_EVERY == 0 else None
        update = Update(
            self.room,
            seq,
            before is None,
            dump(list(events)),
            seen.decisions,
            marks,
            seen.text,
            patch,
            hashed,
        )
        if update.size > SMALL:
            _check_frame(update, (plain, decisions, events), self.limits.frame_out_bytes)
        return seen, update

    def commit(self, seen: Seen, update: Update | None) -> None:
        """Adopt what `advance` made."""
        self.seen = seen
        if update is not None:
            self.seq = update.seq
            self.kept.append(update)

    def full(self) -> Update:
        """Return the whole position, under the number of the last update."""
        if self.seen is None:
            raise RuntimeError("the game has not begun")
        seen = self.seen
        return Update(self.room, self.seq, True, b"[]", seen.decisions, seen.marks, seen.text)

    def since(self, seq: int) -> list[Update] | None:
        """Return the updates after `seq`, or None if they are no longer there."""
        if seq == self.seq:
            return []
        if not self.kept or not self.kept[0].seq <= seq + 1 <= self.seq:
            return None
        return [update for update in self.kept if update.seq > seq]


def _check_frame(update: Update, parts: tuple[object, ...], most_bytes: int) -> None:
    if update.size > most_bytes:
        raise LocalProtocolError(f"an update of {update.size} bytes; at most {most_bytes} fit")
    nodes = count_nodes(list(parts)) + 10 * len(update.marks)
    if nodes > MAX_NODES:
        raise LocalProtocolError(f"an update of {nodes} values; at most {MAX_NODES} fit")


def count_nodes(value: object) -> int:
    """Return how many values a JSON value is made of."""
    match value:
        case dict():
            return 1 + sum(count_nodes(entry) for entry in value.values())
        case list() | tuple():
            return 1 + sum(count_nodes(entry) for entry in value)
        case _:
            return 1


def _same(before: Seen, seen: Seen) -> bool:
    return (
        before.text == seen.text
        and before.decisions == seen.decisions
        and before.marks == seen.marks
    )
