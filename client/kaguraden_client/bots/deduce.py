"""The bot that deduces what others hide, where a game has hidden roles (yumeochi).

It imagines games as the bot that searches does, dealt by what it believes. Games that hide no roles
it plays as that bot.
"""

from __future__ import annotations

from .search import SearchPolicy

__all__ = ["DeducePolicy"]


class DeducePolicy(SearchPolicy):
    """Answers with what came out best in games imagined by what it has deduced."""
