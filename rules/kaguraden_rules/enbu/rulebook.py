"""How the game is played, for players."""

from __future__ import annotations

from importlib import resources
from typing import Literal

__all__ = ["rulebook"]


def rulebook(language: Literal["ja", "en"]) -> str:
    """Return the players' rulebook: Markdown that cites the rules by their ids."""
    folder = resources.files("kaguraden_rules.enbu").joinpath("rulebook")
    return folder.joinpath(f"{language}.md").read_text("utf-8")
