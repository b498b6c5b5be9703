"""Messages as text, for both halves of the kit: nothing here refuses what is wrong."""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeAlias

__all__ = ["Json", "canonical_hash", "dump"]

Json: TypeAlias = dict[str, Any]


def dump(message: object) -> str:
    """Return a message as text."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def canonical_hash(view: object) -> str:
    """Return the SHA-256 in hex of canonical JSON (section 11)."""
    text = json.dumps(view, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
