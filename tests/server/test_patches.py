"""Patches: short updates for who asked for them (capability `patch`)."""

from copy import deepcopy
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_server.patches import diff, view_hash
from trio.testing import MockClock

from .house import open_house, play_out

Json = Any
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "~/"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["a", "b", "~", "/x"]), inner, max_size=4)
    ),
    max_leaves=15,
)


def apply(document: Json, patch: list[Json]) -> Json:
    """Apply a JSON Patch of add, remove and replace as RFC 6902 says."""
    document = {"root": deepcopy(document)}
    for operation in patch:
        path = f"/root{operation['path']}"
        *parents, last = [p.replace("~1", "/").replace("~0", "~") for p in path[1:].split("/")]
        where: Any = document
        for step in parents:
            where = where[int(step)] if isinstance(where, list) else where[step]
        key: Any = int(last) if isinstance(where, list) else last
        match operation["op"]:
            case "remove":
                del where[key]
            case "add" if isinstance(where, list):
                assert 0 <= key <= len(where)
                where.insert(key, operation["value"])
            case "add":
                where[key] = operation["value"]
            case "replace":
                where[key]  # it has to be there
                where[key] = operation["value"]
            case other:
                raise AssertionError(f"{other} is not of version 1")
    return document["root"]


@given(plain, plain)
def test_a_patch_turns_one_document_into_the_other(before: Json, after: Json) -> None:
    result = apply(before, diff(before, after))
    assert view_hash(result) == view_hash(after), "equal as JSON, where true is not 1"


@given(plain)
def test_no_difference_is_no_patch(value: Json) -> None:
    assert diff(value, deepcopy(value)) == []


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ([1, 2, 3], [1, 2, 3, 4], [{"op": "add", "path": "/3", "value": 4}]),
        ([1, 2, 3], [1, 3], [{"op": "remove", "path": "/1"}]),
        ({"a": [{"n": 1}]}, {"a": [{"n": 2}]}, [{"op": "replace", "path": "/a/0/n", "value": 2}]),
    ],
)
def test_what_games_change_makes_short_patches(
    before: Json, after: Json, operations: list[Json]
) -> None:
    assert diff(before, after) == operations


async def test_who_asked_for_patches_can_follow_a_whole_game_by_them(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table(turns=30, turn_ms=500, bank_ms=0, window_ms=500)
        watcher = await house.enter("Wat", capabilities=["patch", "telepathy"])
        assert watcher.hello["capabilities"] == ["patch"]
        await watcher.ask("join", room=room, **{"as": "spectator"})
        full = await house.enter("Full")
        await full.ask("join", room=room, **{"as": "spectator"})
        await aki.ask("start", room=room)
        for player in (aki, ben):
            await player.quiet()
        for player in (aki, ben):
            await player.ask("auto", room=room, window="bless", mode="pass")
        await trio.sleep(200)
        patched = [p for p in await watcher.quiet() if p["type"] == "update"]
        whole = [p for p in await full.quiet() if p["type"] == "update"]
        assert [p["seq"] for p in patched] == [p["seq"] for p in whole]
        view, hashes, patches = None, 0, 0
        for update, expected in zip(patched, whole, strict=True):
            if "view" in update:
                view = update["view"]
            elif "patch" in update:
                patches += 1
                view = apply(view, update["patch"])
            if "hash" in update:
                hashes += 1
                assert update["hash"] == view_hash(view)
                assert update["seq"] % 32 == 0
            assert view == expected["view"]
            assert update["events"] == expected["events"]
        assert patches > 50
        assert hashes >= 2
        assert "patch" not in whole[5], "others get views"


async def test_a_patch_after_a_full_update_starts_from_it(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        watcher = await house.enter("Wat", capabilities=["patch"])
        await aki.ask("start", room=room)
        await aki.quiet()
        await watcher.ask("join", room=room, **{"as": "spectator"})
        view = watcher.views[room]["view"]
        await aki.act(room, "lay", ["o1"])
        update = await watcher.next("update")
        update = update if "patch" in update else await watcher.next("update")
        patched = apply(view, update["patch"])
        await watcher.ask("sync", room=room)
        assert watcher.views[room]["view"] == patched
        del ben


async def test_the_views_of_a_game_played_out_are_patched_without_a_gap(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, players = await house.started(("Aki", "Ben", "Chi"))
        watcher = await house.enter("Wat", capabilities=["patch"])
        await watcher.ask("join", room=room, **{"as": "spectator"})
        await play_out(room, players)
        view: Any = None
        for update in [p for p in await watcher.quiet() if p["type"] == "update"]:
            view = update.get("view") or apply(view, update.get("patch", []))
        table = house.lobby.rooms[room].table
        assert table is not None
        seen = table.streams[None].seen
        assert seen is not None
        assert view == seen.view
