"""Enbu (演舞): an apprentice rehearses the kagura alone, or several race on the same shuffle.

`book` holds what a game is made of, `books` reads and checks books, `codes` makes them short
enough to be posted; `play` is one rehearsal, `race` several of them side by side, and `game` is
what the hall runs. The rules are `rules/docs/enbu.md`; their ids (EN-12) are cited where they are
implemented.
"""
