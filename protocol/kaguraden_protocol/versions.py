"""Which versions of the protocol are spoken, and which features a version may add."""

from __future__ import annotations

import enum
from collections.abc import Iterable

__all__ = ["PROTOCOL", "SUBPROTOCOL", "SUBPROTOCOLS", "Capability", "negotiate"]

SUBPROTOCOL = "kaguraden.v1"  # the major version, as WebSocket subprotocol
SUBPROTOCOLS = (SUBPROTOCOL,)  # all that are spoken, the newest first; at most two majors
PROTOCOL = "1.0"  # major.minor, told in the reply to `hello`


class Capability(enum.StrEnum):
    """A feature that is used on a connection only when both ends name it in `hello`."""

    PATCH = "patch"  # updates may carry a JSON Patch in the view's place


def negotiate(offered: Iterable[str]) -> str | None:
    """Return the newest subprotocol that is offered and spoken, or None if there is none."""
    known = set(offered)
    return next((s for s in SUBPROTOCOLS if s in known), None)
