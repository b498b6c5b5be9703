"""Tokens: who holds one is who it was given to, for as long as it is good."""

import trio
from kaguraden_server.users import User, Users
from trio.testing import MockClock


def users(most: int = 100) -> Users:
    return Users(grace_ms=30_000, keep_s=100, most=most)


async def test_a_token_brings_back_its_user(autojump_clock: MockClock) -> None:
    known = users()
    user = known.add("Aki")
    assert known.resume(known.renew(user)) is user
    assert known.resume("made up") is None


async def test_the_token_before_is_good_for_the_grace_only(autojump_clock: MockClock) -> None:
    known = users()
    user = known.add("Aki")
    first = known.renew(user)
    second = known.renew(user)
    await trio.sleep(29)
    assert known.resume(first) is user
    await trio.sleep(2)
    assert known.resume(first) is None
    assert known.resume(second) is user


async def test_tokens_are_long_and_only_their_hashes_are_kept(autojump_clock: MockClock) -> None:
    known = users()
    user = known.add("Aki")
    token = known.renew(user)
    assert len(token) >= 32
    assert token.encode() not in user.tokens
    assert all(len(hashed) == 32 for hashed in user.tokens)
    assert token not in repr(user)


async def test_no_number_of_renewals_keeps_more_than_a_few_tokens(
    autojump_clock: MockClock,
) -> None:
    known = users()
    user = known.add("Aki")
    tokens = [known.renew(user) for _ in range(50)]
    assert len(user.tokens) <= 4
    assert known.resume(tokens[-1]) is user
    assert known.resume(tokens[0]) is None


async def test_a_token_is_good_for_the_grace_however_many_replies_are_lost(
    autojump_clock: MockClock,
) -> None:
    known = users()
    user = known.add("Aki")
    first = known.renew(user)
    for _ in range(25):
        assert known.resume(first) is user
        newest = known.renew(user)
        await trio.sleep(1)
    assert known.resume(newest) is user
    assert len(user.tokens) <= 4


async def test_who_is_away_and_in_no_room_is_forgotten_in_time(autojump_clock: MockClock) -> None:
    known = users()
    gone, seated, here = known.add("gone"), known.add("seated"), known.add("here")
    token = known.renew(gone)
    seated.rooms.add("KAGU-2222")
    here.connection = object()  # type: ignore[assignment]
    await trio.sleep(99)
    known.forget()
    assert known.resume(token) is gone
    await trio.sleep(2)
    known.forget()
    assert known.resume(token) is None
    assert set(known) == {seated, here}


async def test_the_number_of_users_is_bounded(autojump_clock: MockClock) -> None:
    known = users(most=10)
    made: list[User] = [known.add(str(n)) for n in range(25)]
    assert len(known) <= 10
    assert made[-1] in set(known)
