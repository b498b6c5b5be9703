"""A line of text being typed: a number, a code, a name, a line of chat."""

from __future__ import annotations

import unicodedata

from attrs import evolve, frozen

from .text import width

__all__ = ["Editor"]


@frozen
class Editor:
    """The text, and the place of the cursor in it. Every key gives a new value."""

    text: str = ""
    at: int = 0
    limit: int = 500  # characters; the longest line of chat

    @classmethod
    def of(cls, text: str, limit: int = 500) -> Editor:
        """Return an editor at the end of a text."""
        return cls(text[:limit], min(len(text), limit), limit)

    def insert(self, text: str) -> Editor:
        """Put text in at the cursor, without the characters that no line holds."""
        typed = "".join(
            c for c in text.replace("\n", " ") if unicodedata.category(c) not in ("Cc", "Cs", "Cn")
        )
        typed = typed[: self.limit - len(self.text)]
        return evolve(
            self,
            text=self.text[: self.at] + typed + self.text[self.at :],
            at=self.at + len(typed),
        )

    def press(self, key: str) -> Editor:
        """Apply a key: one character, or the name of an editing key; others change nothing."""
        text, at = self.text, self.at
        match key:
            case "backspace":
                return evolve(self, text=text[: max(0, at - 1)] + text[at:], at=max(0, at - 1))
            case "delete":
                return evolve(self, text=text[:at] + text[at + 1 :])
            case "left":
                return evolve(self, at=max(0, at - 1))
            case "right":
                return evolve(self, at=min(len(text), at + 1))
            case "home" | "c-a":
                return evolve(self, at=0)
            case "end" | "c-e":
                return evolve(self, at=len(text))
            case "c-u":
                return evolve(self, text=text[at:], at=0)
            case "c-k":
                return evolve(self, text=text[:at])
            case "c-w":
                begin = len(text[:at].rstrip().rpartition(" ")[0])
                begin += 1 if begin else 0
                return evolve(self, text=text[:begin] + text[at:], at=begin)
            case "space":
                return self.insert(" ")
            case _ if len(key) == 1:
                return self.insert(key)
            case _:
                return self

    def window(self, cells: int) -> tuple[str, int]:
        """Return the part that fits in `cells` with the cursor in it, and the cursor's cell."""
        begin = 0
        while width(self.text[begin : self.at]) > max(0, cells - 1):
            begin += 1
        end = len(self.text)
        while width(self.text[begin:end]) > cells and end > self.at:
            end -= 1
        return self.text[begin:end], width(self.text[begin : self.at])
