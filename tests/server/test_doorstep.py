"""How many connections of an address may wait without having asked for anything."""

import trio
from kaguraden_server import doorstep
from kaguraden_server.doorstep import Doorstep
from trio.testing import MockClock


async def test_each_address_has_places_of_its_own(autojump_clock: MockClock) -> None:
    step = Doorstep(lambda: 2, 10.0)
    assert [step.admits("a"), step.admits("a"), step.admits("a")] == [True, True, False]
    assert step.admits("b")
    step.asked("a")
    assert [step.admits("a"), step.admits("a")] == [True, False]
    step.asked("nobody")


async def test_a_place_is_free_again_when_the_time_is_over(autojump_clock: MockClock) -> None:
    step = Doorstep(lambda: 1, 10.0)
    assert step.admits("a")
    await trio.sleep(9.9)
    assert not step.admits("a")
    await trio.sleep(0.1)
    assert step.admits("a")


async def test_addresses_are_forgotten(autojump_clock: MockClock) -> None:
    step = Doorstep(lambda: 1, 10.0)
    for number in range(doorstep.MANY + 1):
        assert step.admits(str(number))
    step.asked("0")
    await trio.sleep(10.0)
    assert step.admits("a")
    assert step.admits("b")
    assert len(step._came) <= 2
