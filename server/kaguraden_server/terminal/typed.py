"""What is typed in the server's terminal: the commands, and which deed each is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen
from kaguraden_rules.kernel import Text

from kaguraden_server.admin.deeds import Refusal

__all__ = ["COMMANDS", "helped", "parse"]


@frozen
class _Command:
    """A deed, what it is given besides, and the names of what follows; the last takes the rest."""

    do: str
    takes: tuple[str, ...]
    help: Text
    more: Mapping[str, Any] = MappingProxyType({})
    needs: int | None = None  # of what follows; None for all

    @property
    def least(self) -> int:
        return len(self.takes) if self.needs is None else self.needs


COMMANDS: Final[Mapping[str, _Command]] = MappingProxyType(
    {
        "rooms": _Command("rooms", (), Text("部屋の一覧", "list the rooms")),
        "members": _Command("members", ("room",), Text("部屋の人", "who is in a room")),
        "kick": _Command(
            "kick",
            ("room", "who"),
            Text(
                "部屋から外す（席の番号か名前）", "take somebody out: the seat's number, or a name"
            ),
        ),
        "close": _Command("close", ("room",), Text("部屋を閉じる", "close a room and its game")),
        "say": _Command("announce", ("text",), Text("みなに知らせる", "tell everybody something")),
        "pause": _Command("pause", ("room",), Text("時計を止める", "stop a game's clocks")),
        "go": _Command(
            "pause", ("room",), Text("時計を動かす", "have them run again"), {"on": False}
        ),
        "status": _Command("status", (), Text("サーバーの様子", "how the server is")),
        "snapshot": _Command(
            "snapshot", ("to",), Text("記録簿を写す", "copy the journal into a file"), needs=0
        ),
        "drain": _Command("drain", (), Text("サーバーを止める", "stop the server")),
        "help": _Command("help", (), Text("この一覧", "this list")),
    }
)


def parse(line: str) -> tuple[str, dict[str, Any]]:
    """Return the deed that a line asks for, and its fields; "" for an empty line.

    Raises:
        Refusal: There is no such command, or it needs something else.
    """
    word, _, rest = line.strip().partition(" ")
    if not word:
        return "", {}
    command = COMMANDS.get(word.lower())
    if command is None:
        known = " ".join(COMMANDS)
        raise Refusal("unknown", Text(f"あるのは: {known}", f"there are: {known}"))
    given = rest.split(maxsplit=max(0, len(command.takes) - 1)) if command.takes else rest.split()
    if not command.least <= len(given) <= len(command.takes):
        raise Refusal("bad_field", Text(*[f"{word} {_wanted(command)}".strip()] * 2))
    fields: dict[str, Any] = dict(zip(command.takes, map(str.strip, given), strict=False))
    if "to" in fields:
        fields["to"] = str(Path(fields["to"]).absolute())
    return command.do, {**command.more, **fields}


def helped() -> list[Text]:
    """Return what commands there are."""
    lines = []
    for word, command in COMMANDS.items():
        head = f"{word} {_wanted(command)}".ljust(18)
        lines.append(Text(f"{head}{command.help.ja}", f"{head}{command.help.en}"))
    return lines


def _wanted(command: _Command) -> str:
    names = [name.upper() for name in command.takes]
    return " ".join(names if command.needs is None else [f"[{name}]" for name in names])
