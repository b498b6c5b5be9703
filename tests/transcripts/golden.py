"""Where the transcripts are kept."""

from pathlib import Path
from typing import Final

__all__ = ["FOLDER"]

FOLDER: Final = Path(__file__).parents[2] / "protocol" / "transcripts"
