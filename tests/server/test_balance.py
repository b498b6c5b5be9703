"""`kaguraden balance`: what it plays, what it counts, and what it prints."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from kaguraden_protocol import messages
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.yumeochi.sets import BASE
from kaguraden_server import balance as measuring
from kaguraden_server.balance import (
    BANDS,
    Band,
    Figure,
    Played,
    Setting,
    balance,
    figures,
    play,
    run,
)

WORKSHOP = Path(__file__).parents[1] / "rules" / "yumeochi_sets" / "workshop.toml"
ODORIKO = Path(__file__).parents[1] / "rules" / "packs" / "workshop.toml"
RANDOM = Setting("random", seed=3)


def command(*arguments: str | Path, **env: str) -> Result:
    every = ["yumeochi", "--workers", "1", *map(str, arguments)]
    return CliRunner().invoke(balance, every, env={"LC_ALL": "C", **env})


def by_key(found: list[Figure], group: str) -> dict[str, Figure]:
    return {figure.key: figure for figure in found if figure.group == group}


class Silent:
    """Leaves every decision to its default."""

    def __init__(self, _rng: random.Random) -> None:
        self.views: list[Any] = []
        self.asked: list[messages.Decision] = []
        self.heard: list[Any] = []

    def __call__(
        self, view: Mapping[str, Any], decision: messages.Decision, _catalog: Mapping[str, Any]
    ) -> None:
        self.views.append(view)
        self.asked.append(decision)

    def hear(self, event: Any) -> None:
        self.heard.append(event)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> list[Silent]:
    """Let silent players play, and return them as they are made."""
    made: list[Silent] = []

    def make(rng: random.Random) -> Silent:
        made.append(Silent(rng))
        return made[-1]

    monkeypatch.setattr(measuring, "find_players", lambda *_: {"random": make})
    return made


# --- what is played ------------------------------------------------------------------------------


def test_silent_players_give_what_the_rules_say(silent: list[Silent]) -> None:
    """S-24: the Gentleman always wins, at the stroke of twelve if he holds the marker from the start."""
    games = 40
    played = run(RANDOM, games, workers=1)
    firsts, places = 0, [0, 0, 0, 0]
    for number in range(games):
        stream = Entropy(hashlib.sha256(f"3 {number}".encode()).digest())
        roles, stream = stream.shuffle([role.id for role in BASE.roles if role.is_base])
        for cards in (BASE.skills, BASE.times):
            _, stream = stream.shuffle([card.id for card in cards])
        holder, _ = stream.pick(4)
        firsts += roles[holder] == "gentleman"
        places[(roles.index("gentleman") - holder) % 4] += 1
    found = figures(played, RANDOM, BASE)
    roles_found = by_key(found, "role")
    assert {key: figure.value for key, figure in roles_found.items()} == {
        "gentleman": 100, "night_raven": 0, "mainspring_maker": 0, "moon_hare": 0,
    }  # fmt: skip
    assert [figure.value for figure in by_key(found, "place").values()] == [
        pytest.approx(100 * place / games) for place in places
    ]
    ending = by_key(found, "ending")
    assert ending["first"].value == pytest.approx(100 * firsts / games)
    assert ending["stars"].value == pytest.approx(100 * (games - firsts) / games)
    assert by_key(found, "first")["gentleman"].value == ending["first"].value
    assert list(by_key(found, "window")) == ["hour_becomes"]
    course = by_key(found, "course")
    assert (course["death"].value, course["deaths"].value) == (0, 0)
    assert course["last_hour"].value == 12
    # At twelve the first one is over before the last phase.
    assert course["turns"].value == pytest.approx((48 * (games - firsts) + 44 * firsts) / games)
    assert len(silent) == 4 * games


def test_players_see_what_a_bot_at_a_table_sees(silent: list[Silent]) -> None:
    """YU-108: the view of the seat, its own decision, and the events as the seat is told them."""
    play(RANDOM, 0)
    for seat, player in enumerate(silent):
        assert player.views
        for view, decision in zip(player.views, player.asked, strict=True):
            assert view["you"]["role"] in {role.id for role in BASE.roles}
            assert "role" not in view["seats"][seat]
            assert view["asked"] == [seat]
            assert decision.id.startswith(f"{seat}.")
        dealt = [event for event in player.heard if event["kind"] == "dealt"]
        assert [event["seat"] for event in dealt if "role" in event] == [seat]
        assert [event["seat"] for event in dealt if "skill" in event] == [seat]


def test_one_seat_is_exposed_in_turn(silent: list[Silent]) -> None:
    setting = Setting("random", seed=3, exposed=True)
    for number in range(5):
        silent.clear()
        game = play(setting, number)
        assert game.exposed == number % 4
        for player in silent:
            shown = [seat.get("role") for seat in player.views[0]["seats"]]
            wanted = [None] * 4
            wanted[number % 4] = game.roles[number % 4]  # type: ignore[call-overload]
            assert shown == wanted
            (told,) = (e for e in player.heard if e["kind"] == "role_revealed" and e["hour"] == 1)
            assert (told["seat"], told["card"]) == (number % 4, game.roles[number % 4])


def test_games_are_the_same_however_they_are_shared_out() -> None:
    alone = run(RANDOM, 25, workers=1)
    assert len(alone) == 25
    assert alone == run(RANDOM, 25, workers=2)
    assert alone != run(Setting("random", seed=4), 25, workers=1)


# --- what is counted -----------------------------------------------------------------------------


def made(
    winners: tuple[int, ...] = (0,), result: str = "stars", window: str | None = None, **parts: Any
) -> Played:
    base: dict[str, Any] = {
        "roles": ("gentleman", "night_raven", "mainspring_maker", "moon_hare"),
        "skills": ("keyhole", "lullaby", "naming", "sleight"),
        "first_holder": 0, "deaths": 0, "last_hour": 12, "turns": 48,
    }  # fmt: skip
    return Played(result=result, window=window, winners=winners, **{**base, **parts})


def test_figures_are_counted() -> None:
    played = [
        made((0,)),
        made((1, 2), "first", "phase_end", deaths=1, last_hour=8, turns=30, first_holder=1),
        made((), "dream", deaths=2),
        made((1,), "origin", roles=("dream_eater", "night_raven", "moon_hare", "gentleman")),
    ]
    found = figures(played, Setting("deduce", seed=1), BASE)
    shares = {key: (figure.value, figure.of) for key, figure in by_key(found, "role").items()}
    assert shares == {
        "gentleman": (25, 4), "night_raven": (37.5, 4), "mainspring_maker": (pytest.approx(16.67, abs=0.01), 3),
        "moon_hare": (0, 4), "dream_eater": (0, 1),
    }  # fmt: skip
    places = [figure.value for figure in by_key(found, "place").values()]
    assert places == [37.5, 37.5, 0, 0]
    ending = {key: figure.value for key, figure in by_key(found, "ending").items()}
    assert ending == {
        "first": 25, "stars": 25, "origin": 25, "cards": 0, "dream": 25, "ties": 50,
    }  # fmt: skip
    firsts = {key: figure.value for key, figure in by_key(found, "first").items()}
    assert firsts == {"night_raven": 12.5, "mainspring_maker": 12.5}
    course = {key: figure.value for key, figure in by_key(found, "course").items()}
    assert course == {"death": 50, "deaths": 25, "last_hour": 11, "turns": 43.5}
    skills = {key: figure.value for key, figure in by_key(found, "skill").items()}
    assert skills == {"keyhole": 25, "lullaby": 37.5, "naming": 12.5, "sleight": 0}


def test_counts_add_up() -> None:
    played = run(RANDOM, 60, workers=1)
    found = figures(played, RANDOM, BASE)
    ending = by_key(found, "ending")
    results = sum(figure.value for key, figure in ending.items() if key != "ties")
    assert results == pytest.approx(100)
    won = 100 - ending["dream"].value
    for group in ("place", "role"):
        assert sum(figure.value for figure in by_key(found, group).values()) == pytest.approx(won)
    windows = sum(figure.value for figure in by_key(found, "window").values())
    assert windows == pytest.approx(ending["first"].value)
    assert sum(f.value for f in by_key(found, "first").values()) == pytest.approx(windows)
    for figure in found:
        if figure.interval is not None:
            low, high = figure.interval
            assert low <= figure.value <= high


def test_an_exposed_seat_is_compared_with_the_others() -> None:
    setting = Setting("deduce", seed=1, exposed=True)
    played = [made((0,), exposed=n % 4) for n in range(8)]
    found = by_key(figures(played, setting, BASE), "exposed")
    assert found["share"].value == 25
    assert found["others"].value == 25
    assert found["difference"].value == 0
    assert found["difference"].is_within is False
    assert found["gentleman"].value == 100
    played += [made((0,), exposed=1) for _ in range(8)]
    found = by_key(figures(played, setting, BASE), "exposed")
    assert found["difference"].value == pytest.approx(12.5 - 87.5 / 3)
    assert found["difference"].is_within is True


# --- the band ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "interval", "is_within", "is_sure"),
    [
        (25, (22, 28), True, True),
        (16, (14, 18), True, False),
        (14, (12, 16), False, False),
        (12, (10, 14), False, True),
        (40, (38, 42), False, True),
        (15, (15, 35), True, True),
    ],
)
def test_a_figure_is_held_against_its_band(
    value: float, interval: tuple[float, float], is_within: bool, is_sure: bool
) -> None:
    figure = Figure("role", "x", BASE.name, value, 100, interval, Band(15, 35))
    assert (figure.is_within, figure.is_sure) == (is_within, is_sure)


def test_what_is_judged_depends_on_who_plays() -> None:
    """YU-109: random players by the base roles alone, extra roles by a wider band, greedy not."""
    played = [made()]

    def judged(setting: Setting) -> dict[str, Band]:
        return {
            f"{figure.group} {figure.key}": figure.band
            for figure in figures(played, setting, BASE)
            if figure.band is not None and figure.group != "skill"
        }

    roles = {f"role {role.id}" for role in BASE.roles if role.is_base}
    full = judged(Setting("deduce", seed=1))
    others = {
        *("place 1", "ending first", "ending dream", "course death", "course deaths"),
        "course last_hour",
    }
    assert set(full) == roles | others
    assert set(judged(RANDOM)) == roles
    assert judged(Setting("greedy", seed=1)) == {}
    extra = judged(Setting("deduce", seed=1, roles=("dream_eater",)))
    assert extra == dict.fromkeys(roles, BANDS["role_with_extra"])


# --- the command ---------------------------------------------------------------------------------


def test_it_prints_every_group_in_both_languages() -> None:
    english = command("--games", "6", "--level", "random")
    assert (english.exit_code, english.stderr) == (0, "")
    assert english.stdout.startswith(
        "yumeochi: Yumeochi base cards; 6 games of random in all seats"
    )
    for title in ("Win share of each role", "Win share by place", "How games end", "Course"):
        assert f"\n{title}" in english.stdout
    assert "English Gentleman" in english.stdout
    assert "[15–35]" in english.stdout
    japanese = command("--games", "6", "--level", "random", "--lang", "ja")
    assert japanese.stdout.startswith("夢ヲチ: 夢ヲチ 基本札、random 同士で 6 局")
    assert "\nロール別の勝率\n  英国紳士 " in japanese.stdout
    assert command("--games", "6", "--level", "random", LC_ALL="ja_JP.UTF-8").stdout == (
        japanese.stdout
    )


@pytest.mark.usefixtures("silent")
def test_strict_makes_the_band_the_status() -> None:
    """Silent players let the Gentleman win every game, which is outside."""
    arguments = ("--games", "10", "--level", "random")
    assert command(*arguments).exit_code == 0
    strict = command(*arguments, "--strict")
    assert strict.exit_code == 1
    assert "OUTSIDE" in strict.stdout


def test_a_set_of_a_file_is_played() -> None:
    result = command("--games", "5", "--level", "random", "--pack", WORKSHOP, "--roles", "usher")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Clock workshop, usher; 5 games" in result.stdout
    assert "Tinker" in result.stdout
    named = ("--pack", WORKSHOP, "--set", BASE.id)
    assert "Yumeochi base cards" in command("--games", "2", "--level", "random", *named).stdout


def test_what_cannot_be_measured_is_said(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(WORKSHOP.read_text("utf-8").replace('do = "heal"', 'do = "hael"'), "utf-8")
    for arguments, status, said in (
        (("--pack", tmp_path / "none.toml"), 2, "none.toml"),
        (("--pack", bad), 1, "E_EFFECT"),
        (("--pack", ODORIKO), 2, "no set of yumeochi"),
        (("--set", "nowhere"), 2, BASE.id),
        (("--roles", "king"), 2, "dream_eater"),
        (("--level", "genius"), 2, "deduce"),
    ):
        result = command("--games", "1", *arguments)
        assert result.exit_code == status
        assert result.stdout == ""
        assert said in result.stderr
