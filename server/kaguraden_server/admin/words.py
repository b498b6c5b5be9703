"""What deeds tell, in lines for people, in Japanese and English."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from kaguraden_rules.kernel import Text

__all__ = ["told"]

_PHASES: Final = MappingProxyType({"lobby": "準備中", "playing": "対局中", "over": "終局"})
_JOURNALS: Final = MappingProxyType(
    {"none": ("なし", "none"), "up": ("正常", "well"), "down": ("書けません", "cannot be written")}
)

Reply = Mapping[str, Any]


def told(do: str, reply: Reply) -> list[Text]:
    """Return what the reply to a deed says."""
    return list(_WORDS[do](reply))


def _same(text: str) -> Text:
    return Text(text, text)


def _status(reply: Reply) -> Iterator[Text]:
    yield _same(f"{reply['name']}  kaguraden {reply['version']}")
    up = _span(reply["up_s"])
    yield Text(f"稼働 {up}", f"up for {up}")
    yield Text(
        f"接続 {reply['connections']}  在席 {reply['here']}  ボット {reply['bots']}",
        f"connections {reply['connections']}, people {reply['here']}, bots {reply['bots']}",
    )
    for entry in reply["rooms"]:
        game, phase, n = entry["game"], entry["phase"], entry["rooms"]
        yield Text(f"部屋 {game} {_PHASES.get(phase, phase)} {n}", f"rooms {game} {phase} {n}")
    ja, en = _JOURNALS[reply["journal"]]
    size = f" {reply['journal_bytes'] / 1e6:.1f} MB" if "journal_bytes" in reply else ""
    yield Text(f"記録簿 {ja}{size}", f"journal {en}{size}")
    if reply["draining"]:
        yield Text("停止の準備中です", "about to stop")


def _rooms(reply: Reply) -> Iterator[Text]:
    if not reply["rooms"]:
        yield Text("部屋はありません", "there are no rooms")
    for room in reply["rooms"]:
        marks = [
            (room["bots"], f"ボット{room['bots']}", f"bots {room['bots']}"),
            (room["watching"], f"観戦{room['watching']}", f"watching {room['watching']}"),
            (not room["listed"], "非公開", "unlisted"),
            (room["locked"], "合言葉", "locked"),
            (room["paused"], "停止中", "paused"),
        ]
        head = f"{room['room']}  {room['game']:<8}"
        taken = f"{room['taken']}/{room['seats']}"
        title = f"  {room['title']}" if "title" in room else ""
        phase, age = room["phase"], _span(room["age_s"])
        ja = [f"在席{room['here']}", *(ja for is_so, ja, _ in marks if is_so)]
        en = [f"here {room['here']}", *(en for is_so, _, en in marks if is_so)]
        yield Text(
            f"{head} {_PHASES.get(phase, phase)} {taken} {age}  {' '.join(ja)}{title}",
            f"{head} {phase:<7} {taken} {age}  {', '.join(en)}{title}",
        )
    if reply["more"]:
        yield Text(f"ほか {reply['more']} 部屋", f"and {reply['more']} more")


def _members(reply: Reply) -> Iterator[Text]:
    for seat in reply["seats"]:
        bot = f"  bot {seat['bot']}" if "bot" in seat else ""
        if "name" not in seat:
            yield _same(f"{seat['seat']}  -")
            continue
        ja, en = ("  主催", "  host") if seat["host"] else ("", "")
        for part in _person(seat):
            yield Text(f"{seat['seat']}  {part.ja}{bot}{ja}", f"{seat['seat']}  {part.en}{bot}{en}")
    for member in reply["watching"]:
        for part in _person(member):
            yield Text(f"観  {part.ja}", f"w  {part.en}")
    if reply["more"]:
        yield Text(f"ほか {reply['more']} 人", f"and {reply['more']} more")


def _person(member: Reply) -> Iterator[Text]:
    # Bots and those who are away have no address.
    told = "  ".join(member[key] for key in ("name", "user", "address") if key in member)
    is_here = member["here"]
    yield Text(told if is_here else f"{told}  離席", told if is_here else f"{told}  away")


def _kick(reply: Reply) -> Iterator[Text]:
    yield Text(
        f"{reply['name']} を {reply['room']} から外しました",
        f"{reply['name']} is out of {reply['room']}",
    )


def _close(reply: Reply) -> Iterator[Text]:
    yield Text(f"{reply['room']} を閉じました", f"{reply['room']} is closed")


def _announce(reply: Reply) -> Iterator[Text]:
    yield Text(f"{reply['told']} 人に伝えました", f"told to {reply['told']}")


def _pause(reply: Reply) -> Iterator[Text]:
    room = reply["room"]
    if reply["on"]:
        yield Text(f"{room} の時計を止めました", f"the clocks of {room} are stopped")
    else:
        yield Text(f"{room} の時計が動き出しました", f"the clocks of {room} run again")


def _snapshot(reply: Reply) -> Iterator[Text]:
    yield _same(f"{reply['file']}  {reply['bytes'] / 1e6:.1f} MB")


def _drain(_: Reply) -> Iterator[Text]:
    yield Text("サーバーを停止します", "the server stops")


_WORDS: Final[Mapping[str, Callable[[Reply], Iterator[Text]]]] = MappingProxyType(
    {
        "status": _status,
        "rooms": _rooms,
        "members": _members,
        "kick": _kick,
        "close": _close,
        "announce": _announce,
        "pause": _pause,
        "snapshot": _snapshot,
        "drain": _drain,
    }
)


def _span(seconds: int) -> str:
    """Return a span of time, such as 0:05 or 2d 03:04, in hours and minutes."""
    minutes = seconds // 60
    days = f"{minutes // 1440}d " if minutes >= 1440 else ""
    return f"{days}{minutes // 60 % 24}:{minutes % 60:02}"
