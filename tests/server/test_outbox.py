"""The outbox: in order, within bounds, never waiting."""

import pytest
import trio
from attrs import define, frozen
from kaguraden_protocol.errors import CloseCode
from kaguraden_server.outbox import Goodbye, Outbox
from trio.testing import MockClock


@frozen
class Small:
    text: str
    size: int = 10

    def render(self, now: float, *, patch: bool) -> bytes:
        return f"{self.text}@{now:g}{'p' if patch else ''}".encode()


@define(eq=False)
class Stream:
    now: str = "whole"

    def full(self) -> Small:
        return Small(self.now)


def box(most: int = 10, most_bytes: int = 1_000) -> Outbox:
    return Outbox(most=most, most_bytes=most_bytes)


async def drain(outbox: Outbox) -> list[str]:
    taken = []
    while len(outbox):
        entry = await outbox.get()
        assert isinstance(entry, bytes)
        taken.append(entry.decode())
    return taken


async def test_everything_comes_out_in_the_order_it_was_put() -> None:
    outbox, stream = box(), Stream()
    outbox.put(b"one")
    outbox.put_update(stream, Small("two"))
    outbox.put(b"three")
    taken = [entry.split("@")[0] for entry in await drain(outbox)]
    assert taken == ["one", "two", "three"]


async def test_an_update_is_rendered_when_its_turn_has_come(autojump_clock: MockClock) -> None:
    outbox = box()
    outbox.put_update(Stream(), Small("u"))
    await trio.sleep(5)
    assert await outbox.get() == f"u@{trio.current_time():g}".encode()


async def test_the_latest_of_a_kind_takes_the_place_of_an_older_one_at_the_end() -> None:
    outbox = box()
    outbox.put_latest("room", b"old")
    outbox.put(b"between")
    outbox.put_latest("room", b"new")
    assert await drain(outbox) == ["between", "new"]
    outbox.put_latest("room", b"next")
    assert await drain(outbox) == ["next"]


async def test_over_the_bound_the_updates_of_a_stream_collapse_into_a_full_one() -> None:
    outbox, one, two = box(most=6), Stream("whole one"), Stream("whole two")
    outbox.put(b"reply 1")
    outbox.put_update(one, Small("1.1"))
    outbox.put(b"reply 2")
    outbox.put_update(two, Small("2.1"))
    outbox.put_update(one, Small("1.2"))
    outbox.put(b"reply 3")
    outbox.put_update(one, Small("1.3"))
    outbox.put_update(one, Small("1.4"))  # within what the full one will hold
    taken = [entry.split("@")[0] for entry in await drain(outbox)]
    assert taken == ["reply 1", "whole one", "reply 2", "whole two", "reply 3"]
    outbox.put_update(one, Small("1.5"))
    assert [e.split("@")[0] for e in await drain(outbox)] == ["1.5"]


async def test_bytes_are_bounded_as_messages_are() -> None:
    outbox, stream = box(most=100, most_bytes=100), Stream()
    for n in range(8):
        outbox.put_update(stream, Small(str(n), size=30))
    assert [entry.split("@")[0] for entry in await drain(outbox)] == ["whole"]


async def test_a_reader_that_does_not_take_replies_is_sent_away() -> None:
    outbox = box(most=5)
    for n in range(6):
        outbox.put(b"%d" % n)
    assert outbox.is_closing
    assert await outbox.get() == Goodbye(CloseCode.TOO_SLOW)


async def test_a_series_counts_as_one_and_comes_in_its_place() -> None:
    outbox = box(most=3, most_bytes=30)
    outbox.put(b"before")
    outbox.put_series(b"%d" % n for n in range(100))
    outbox.put(b"after")
    taken = [await outbox.get() for _ in range(102)]
    assert taken == [b"before", *(b"%d" % n for n in range(100)), b"after"]
    assert len(outbox) == 0
    outbox.put_series(())
    outbox.put(b"next")
    assert await outbox.get() == b"next"


async def test_nothing_is_taken_once_everything_was_dropped() -> None:
    outbox = box(most=3)
    for n in range(4):
        outbox.put_latest("room", b"old")
        outbox.put(b"%d" % n)
    assert outbox.is_closing
    outbox.put_latest("room", b"new")
    outbox.put_update(Stream(), Small("u"))
    assert len(outbox) == 0


async def test_what_waits_is_sent_before_goodbye_and_the_first_code_holds() -> None:
    outbox = box()
    outbox.put(b"last words")
    outbox.close(CloseCode.TAKEN_OVER)
    outbox.close(CloseCode.RESTARTING)
    outbox.put(b"too late")
    assert await outbox.get() == b"last words"
    assert await outbox.get() == Goodbye(CloseCode.TAKEN_OVER)


async def test_forgetting_a_stream_drops_its_updates_alone() -> None:
    outbox, one, two = box(), Stream(), Stream()
    outbox.put_update(one, Small("one"))
    outbox.put_update(two, Small("two"))
    outbox.put_full(one)
    outbox.forget(one)
    outbox.put_update(one, Small("again"))
    assert [entry.split("@")[0] for entry in await drain(outbox)] == ["two", "again"]


async def test_the_whole_position_takes_the_place_of_the_updates_that_wait() -> None:
    """A `sync` right after an `act`: the reply to the act stays behind what it tells of."""
    outbox, one, two = box(), Stream(), Stream("other")
    outbox.put_update(one, Small("effect"))
    outbox.put(b"ok")
    outbox.put_update(two, Small("two"))
    outbox.put_update(one, Small("more"))
    assert outbox.holds(one)
    outbox.put_full(one)
    outbox.put_update(one, Small("in it"))
    outbox.put(b"synced")
    taken = [entry.split("@")[0] for entry in await drain(outbox)]
    assert taken == ["whole", "ok", "two", "synced"]
    assert not outbox.holds(one)
    outbox.put_update(one, Small("next"))
    assert [entry.split("@")[0] for entry in await drain(outbox)] == ["next"]


async def test_whoever_waits_for_a_message_is_woken_by_it(autojump_clock: MockClock) -> None:
    outbox = box()
    with trio.fail_after(1):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.get)
            await trio.testing.wait_all_tasks_blocked()
            outbox.put(b"now")


async def test_cancelling_a_wait_loses_nothing(autojump_clock: MockClock) -> None:
    outbox = box()
    with trio.move_on_after(1):
        await outbox.get()
    outbox.put(b"kept")
    with trio.CancelScope() as scope:
        scope.cancel()
        await outbox.get()
    assert scope.cancelled_caught
    assert await drain(outbox) == ["kept"]


@pytest.mark.parametrize("patch", [True, False])
async def test_only_who_asked_for_patches_gets_them(patch: bool) -> None:
    outbox = box()
    outbox.patch = patch
    outbox.put_update(Stream(), Small("u"))
    entry = await outbox.get()
    assert isinstance(entry, bytes)
    assert entry.endswith(b"p") is patch
