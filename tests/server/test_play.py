"""A game from hello to outcome, through the protocol alone."""

from trio.testing import MockClock

from .house import open_house, play_out


async def test_two_players_play_a_game_to_its_end(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, players = await house.started()
        last = await play_out(room, players)
        for update in last:
            assert update["view"]["phase"] == "over"
            assert update["decisions"] == []
            assert update["clock"] == []
            assert "seed" in update["view"]["outcome"]["fairness"]
