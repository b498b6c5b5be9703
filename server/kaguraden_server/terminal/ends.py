"""Whether there is somebody at the terminal."""

from __future__ import annotations

import os
import sys

__all__ = ["is_possible"]


def is_possible() -> bool:
    """Tell whether somebody can type here: a terminal at all ends, and this in its foreground."""
    if os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        ends = (sys.stdin, sys.stdout, sys.stderr)
        return all(end.isatty() for end in ends) and (
            os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        )
    except (AttributeError, OSError, ValueError):
        return False
