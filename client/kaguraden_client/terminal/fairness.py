"""Whether the server kept its promise about the deal (protocol section 16)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ..reading import Json, as_dict, as_str, as_texts
from ..table import Table

__all__ = ["check_deal", "check_seed"]


def check_deal(table: Table, event: Mapping[str, Json]) -> bool:
    """Whether the promise is the one told first, and this client's number was used.

    The deal of a day's challenge is the same for everybody: no numbers enter into it.
    """
    if table.commitment is not None and event.get("commitment") != table.commitment:
        return False
    is_daily = as_dict(table.view.get("table")).get("daily") is True
    return is_daily or table.nonce is None or table.nonce in as_texts(event.get("nonces"))


def check_seed(table: Table) -> bool | None:
    """Whether the seed revealed at the end is the one promised; None if none was revealed."""
    outcome = as_dict(table.view.get("outcome"))
    seed = as_str(as_dict(outcome.get("fairness")).get("seed"))
    if not seed or table.commitment is None:
        return None
    try:
        raw = bytes.fromhex(seed)
    except ValueError:
        return False
    return hashlib.sha256(raw).hexdigest() == table.commitment
