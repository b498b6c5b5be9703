"""`kaguraden balance yumeochi`: whether a card set is fair, by games that computer players play.

The players are entry points of group `kaguraden.policies.yumeochi`, made and asked as those of
`rating`. Each sees what a bot at a table sees: the view of its seat, its open decision, and the
catalogue. The games are played in the kernel, without a server, and the same seed gives the same
figures with any number of workers. A game whose end is 夢ヲチ counts as it ended; the rematch is
not played.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import evolve, field, frozen
from kaguraden_rules.kernel import Answer, Event, Pace, SeatId, Step, Text, redact
from kaguraden_rules.plain import to_plain
from wcwidth import wcswidth

from .rating import Choose, find_players, leave_interrupts, progress, to_message, wilson
from .telling import FAULTS, UNREADABLE, locale_language, tell

if TYPE_CHECKING:
    from kaguraden_rules.yumeochi.card import CardSet
    from kaguraden_rules.yumeochi.game import Yumeochi
    from kaguraden_rules.yumeochi.options import Options
    from kaguraden_rules.yumeochi.state import State

__all__ = [
    "BANDS",
    "Band",
    "Figure",
    "Job",
    "Played",
    "Setting",
    "balance",
    "figures",
    "play",
    "run",
]

GROUP: Final = "kaguraden.policies.yumeochi"
LEVELS: Final = ("random", "greedy", "deduce")  # the weakest first
SEATS: Final = tuple(SeatId(seat) for seat in range(4))
JOB_GAMES: Final = 10  # a step of the progress shown
MOST_ANSWERS: Final = 2_000  # ten times what a game takes
OUTSIDE: Final = 1  # the status with --strict


# --- what is played ------------------------------------------------------------------------------


@frozen
class Setting:
    """What all games of a run have in common."""

    level: str
    seed: int
    set_id: str | None = None  # None is the base set
    roles: tuple[str, ...] = ()
    exposed: bool = False  # whether one seat's role lies face up from the start
    packs: Mapping[str, bytes] = field(factory=dict, hash=False)


@frozen
class Job:
    """Some games: those numbered from `first` to before `last`."""

    setting: Setting
    first: int
    last: int


@frozen
class Played:
    """How a game went."""

    roles: tuple[str, ...]  # of each seat
    skills: tuple[str, ...]  # the one that each seat was dealt
    first_holder: int
    result: str
    window: str | None
    winners: tuple[int, ...]
    deaths: int
    last_hour: int
    turns: int
    exposed: int | None = None

    def share(self, seat: int) -> float:
        """Return what a seat won: a shared win is 1/n."""
        return (seat in self.winners) / len(self.winners) if self.winners else 0.0


@cache
def _prepared(setting: Setting) -> tuple[Any, Any, Mapping[str, Any]]:
    """Return the game, its options and the catalogue."""
    from kaguraden_rules.catalogue import games

    game: Any = games(setting.packs)["yumeochi"]
    raw: dict[str, Any] = {"roles": list(setting.roles)}
    if setting.set_id is not None:
        raw["set"] = setting.set_id
    options = game.parse_options(raw)
    return game, options, game.catalog(options)["cards"]


def play(setting: Setting, number: int) -> Played:
    """Play one game to its end.

    Raises:
        RuntimeError: It did not end.
    """
    game, options, catalog = _prepared(setting)
    entropy = hashlib.sha256(f"{setting.seed} {number}".encode()).digest()
    make = find_players(GROUP, LEVELS)[setting.level]
    chance = f"{setting.seed} {setting.level} {number}"
    players = [make(random.Random(f"{chance} {seat}")) for seat in SEATS]  # noqa: S311 - no secret
    step = game.setup(options, 4, ((),) * 4, entropy)
    exposed = SeatId(number % 4) if setting.exposed else None
    if exposed is not None:
        step = _expose(game, step, exposed)
    events: list[Event] = []
    turns: set[str] = set()
    for _ in range(MOST_ANSWERS):
        events += step.events
        if any(event.kind == "game_ended" for event in step.events):
            return _summary(events, len(turns), exposed)
        _tell(players, step.events)
        turns |= {wait.id for wait in game.waits(step.state) if wait.pace is Pace.TURN}
        seat, decision = next(iter(game.decisions(step.state).items()))
        view: Any = to_plain(game.view(step.state, seat))
        chosen = players[seat](view, to_message(decision), catalog)
        option, value = (decision.default, None) if chosen is None else chosen
        step = game.act(step.state, seat, Answer(decision.id, option, value))
    raise RuntimeError(f"no end after {MOST_ANSWERS} answers")


def _tell(players: Sequence[Choose], events: Iterable[Event]) -> None:
    """Tell each player that listens what its seat is told."""
    for seat, player in zip(SEATS, players, strict=True):
        hear = getattr(player, "hear", None)
        if hear is not None:
            for event in events:
                hear(to_plain(redact(event, seat)))


def _expose(game: Yumeochi, step: Step[State], seat: SeatId) -> Step[State]:
    """Return the beginning of a game with a role face up."""
    from kaguraden_rules.yumeochi.events import RoleRevealed

    state = step.state
    seats = list(state.seats)
    seats[seat] = evolve(seats[seat], role_up=True)
    turned = RoleRevealed(state.hour, seat, seats[seat].role, "exposed")
    state = evolve(state, seats=tuple(seats), decisions=())  # what is offered may change by it
    return Step(game.begin(state).state, (*step.events, turned))


def _summary(events: Iterable[Event], turns: int, exposed: int | None) -> Played:
    """Return how the first game among these events went."""
    told: dict[str, list[Any]] = {}
    for event in events:
        told.setdefault(event.kind, []).append(event)
        if event.kind == "game_ended":
            break
    (started,), (ended,) = told["game_started"], told["game_ended"]
    dealt = sorted(told["dealt"], key=lambda event: event.seat)
    victories = told.get("first_victory", [])
    return Played(
        tuple(event.role for event in dealt),
        tuple(event.skill for event in dealt),
        started.holder,
        ended.result,
        victories[0].window if victories else None,
        tuple(ended.winners),
        len(told.get("died", ())),
        ended.hour,
        turns,
        exposed,
    )


def jobs(setting: Setting, games: int) -> list[Job]:
    """Split games into jobs."""
    return [
        Job(setting, first, min(games, first + JOB_GAMES)) for first in range(0, games, JOB_GAMES)
    ]


def work(job: Job) -> list[Played]:
    """Play the games of a job."""
    return [play(job.setting, number) for number in range(job.first, job.last)]


def run(setting: Setting, games: int, workers: int) -> list[Played]:
    """Play the games, in their order, and show on a terminal how far it is."""
    plan = jobs(setting, games)
    if min(workers, len(plan)) == 1:
        return _collect(map(work, plan), games)
    with get_context("spawn").Pool(workers, leave_interrupts) as pool:
        return _collect(pool.imap(work, plan), games)


def _collect(done: Iterator[list[Played]], games: int) -> list[Played]:
    played: list[Played] = []
    for more in done:
        played += more
        progress(f"{len(played)}/{games}")
    progress("")
    return played


# --- what is measured ----------------------------------------------------------------------------


@frozen
class Band:
    """What a figure is to be, from `low` to `high`."""

    low: float
    high: float


# The acceptance band of YU-109, in percent, hours and points. With extra roles in the pool it says
# something of the roles alone, and of random players it says nothing but that of the base roles.
BANDS: Final[Mapping[str, Band]] = {
    "role": Band(15, 35),
    "role_with_extra": Band(13, 38),
    "first_holder": Band(20, 32),
    "first_victory": Band(45, 70),
    "dream": Band(0, 6),
    "death": Band(0, 35),
    "deaths": Band(0, 5),
    "last_hour": Band(10.5, 12),
    "skill": Band(15, 33),
    "exposed": Band(-100, -3),  # compared with the others
}


@frozen
class Figure:
    """One line of what is printed; `interval` is that of 95 %."""

    group: str
    key: str
    label: Text
    value: float
    of: float  # games that it is taken from
    interval: tuple[float, float] | None = None
    band: Band | None = None
    unit: str = "%"

    @property
    def is_within(self) -> bool | None:
        """Whether the figure lies within its band; None where it has none."""
        return None if self.band is None else self.band.low <= self.value <= self.band.high

    @property
    def is_sure(self) -> bool:
        """Whether all of the interval lies on the same side of the band's edges as the figure."""
        if self.band is None or self.interval is None:
            return True
        low, high = self.interval
        if self.is_within:
            return self.band.low <= low and high <= self.band.high
        return high < self.band.low or self.band.high < low


def _share(group: str, key: str, label: Text, wins: float, of: int, band: Band | None) -> Figure:
    low, high = wilson(wins, of)
    return Figure(group, key, label, 100 * wins / of, of, (100 * low, 100 * high), band)


def figures(played: Sequence[Played], setting: Setting, cards: CardSet) -> list[Figure]:
    """Return what the games show, line by line."""
    judged = setting.level == LEVELS[-1] and not setting.exposed
    bands = BANDS if judged and not setting.roles else {}
    found: list[Figure] = []
    if setting.exposed:
        found += _exposed(played, setting, cards)
    found += _roles(played, setting, cards)
    found += _places(played, bands)
    found += _endings(played, cards, bands)
    found += _course(played, bands)
    found += _skills(played, cards, bands)
    return found


def _roles(played: Sequence[Played], setting: Setting, cards: CardSet) -> Iterator[Figure]:
    band = None
    if not setting.exposed and (setting.level == LEVELS[-1] or not setting.roles):
        band = BANDS["role_with_extra" if setting.roles else "role"]
    if setting.level not in (LEVELS[0], LEVELS[-1]):
        band = None
    for role in cards.roles:
        wins = [g.share(g.roles.index(role.id)) for g in played if role.id in g.roles]
        if wins:
            yield _share("role", role.id, role.name, sum(wins), len(wins), band)


def _places(played: Sequence[Played], bands: Mapping[str, Band]) -> Iterator[Figure]:
    for place in range(4):
        wins = sum(game.share((game.first_holder + place) % 4) for game in played)
        label = Text(f"第1フェイズの{place + 1}番目", f"place {place + 1} in the first phase")
        band = bands.get("first_holder") if place == 0 else None
        yield _share("place", str(place + 1), label, wins, len(played), band)


RESULTS: Final = {
    "first": Text("第一勝利", "first victory"),
    "stars": Text("☆の数", "stars"),
    "origin": Text("☆同数・起点マーカー", "stars tied, origin marker"),
    "cards": Text("☆同数・カードの枚数", "stars tied, number of cards"),
    "dream": Text("夢ヲチ", "夢ヲチ (no winner)"),
}


def _endings(
    played: Sequence[Played], cards: CardSet, bands: Mapping[str, Band]
) -> Iterator[Figure]:
    ended = Counter(game.result for game in played)
    number = len(played)
    edges = {"first": bands.get("first_victory"), "dream": bands.get("dream")}
    for result, label in RESULTS.items():
        yield _share("ending", result, label, ended[result], number, edges.get(result))
    firsts = [game for game in played if game.result == "first"]
    windows = Counter(str(game.window) for game in firsts)
    for window, count in sorted(windows.items()):
        label = Text(f"第一勝利 {window}", f"first victory at {window}")
        yield _share("window", window, label, count, number, None)
    for role in cards.roles:
        wins = sum(g.share(g.roles.index(role.id)) for g in firsts if role.id in g.roles)
        if wins:
            label = Text(f"第一勝利 {role.name.ja}", f"first victory of {role.name.en}")
            yield _share("first", role.id, label, wins, number, None)
    ties = ended["origin"] + ended["cards"] + ended["dream"]
    yield _share("ending", "ties", Text("最多☆が同数", "ties for most stars"), ties, number, None)


def _course(played: Sequence[Played], bands: Mapping[str, Band]) -> Iterator[Figure]:
    number = len(played)
    one = sum(game.deaths >= 1 for game in played)
    two = sum(game.deaths >= 2 for game in played)
    label = Text("死者1人以上", "a death or more")
    yield _share("course", "death", label, one, number, bands.get("death"))
    label = Text("死者2人以上", "two deaths or more")
    yield _share("course", "deaths", label, two, number, bands.get("deaths"))
    hour = sum(game.last_hour for game in played) / number
    label = Text("最後の時刻の平均", "mean last hour")
    yield Figure("course", "last_hour", label, hour, number, None, bands.get("last_hour"), "")
    turns = sum(game.turns for game in played) / number
    yield Figure("course", "turns", Text("手番の平均", "mean turns"), turns, number, unit="")


def _skills(
    played: Sequence[Played], cards: CardSet, bands: Mapping[str, Band]
) -> Iterator[Figure]:
    for skill in cards.skills:
        wins = [g.share(g.skills.index(skill.id)) for g in played if skill.id in g.skills]
        if wins:
            yield _share("skill", skill.id, skill.name, sum(wins), len(wins), bands.get("skill"))


def _exposed(played: Sequence[Played], setting: Setting, cards: CardSet) -> Iterator[Figure]:
    number = len(played)
    mine = sum(game.share(game.exposed) for game in played if game.exposed is not None)
    every = sum(game.share(seat) for game in played for seat in SEATS)
    yield _share("exposed", "share", Text("公開された席", "the exposed seat"), mine, number, None)
    label = Text("ほかの席", "the other seats")
    yield _share("exposed", "others", label, every - mine, 3 * number, None)

    def beyond_others(share: float) -> float:
        return share - (100 * every / number - share) / 3

    low, high = (beyond_others(100 * edge) for edge in wilson(mine, number))
    is_judged = setting.level == LEVELS[-1] and not setting.roles
    yield Figure(
        "exposed",
        "difference",
        Text("ほかの席との差", "beyond the others"),
        beyond_others(100 * mine / number),
        number,
        (low, high),
        BANDS["exposed"] if is_judged else None,
        "pt",
    )
    for role in cards.roles:
        games = [g for g in played if g.exposed is not None and g.roles[g.exposed] == role.id]
        if games:
            wins = sum(game.share(game.roles.index(role.id)) for game in games)
            label = Text(f"公開された{role.name.ja}", f"exposed: {role.name.en}")
            yield _share("exposed", role.id, label, wins, len(games), None)


# --- what is printed -----------------------------------------------------------------------------

GROUPS: Final = {
    "exposed": Text(
        "ロールを初めから公開された席", "A seat whose role lies face up from the start"
    ),
    "role": Text("ロール別の勝率", "Win share of each role"),
    "place": Text("席順別の勝率", "Win share by place"),
    "ending": Text("終わり方", "How games end"),
    "window": Text("第一勝利の判定", "First victories by window"),
    "first": Text("第一勝利のロール", "First victories by role"),
    "course": Text("経過", "Course of the games"),
    "skill": Text("スキルを配られた席の勝率", "Win share of the seat that was dealt each skill"),
}
LABEL: Final = 36  # columns
WITHIN: Final = Text("範囲内", "within")
OUTSIDE_OF: Final = Text("範囲外", "OUTSIDE")


def lines(found: Sequence[Figure], language: str) -> Iterator[str]:
    """Yield the figures as a table, group by group."""
    for group, title in GROUPS.items():
        of_group = [figure for figure in found if figure.group == group]
        if of_group:
            yield ""
            yield _said(title, language)
        for figure in of_group:
            yield _line(figure, language)


def _line(figure: Figure, language: str) -> str:
    label = _said(figure.label, language)
    label += " " * max(0, LABEL - wcswidth(label))
    text = f"  {label}{figure.value:6.1f} {figure.unit:2}"
    if figure.interval is not None:
        low, high = figure.interval
        text += f" ({low:5.1f}–{high:5.1f})"
    if figure.band is None:
        return text.rstrip()
    band = _edges(figure.band)
    verdict = _said(WITHIN if figure.is_within else OUTSIDE_OF, language)
    return f"{text:{len(text)}}  [{band}] {verdict}{'' if figure.is_sure else ' ?'}"


def _edges(band: Band) -> str:
    if band.low <= -100:
        return f"≤ {band.high:g}"
    return f"{band.low:g}–{band.high:g}"


def _said(text: Text, language: str) -> str:
    return text.ja if language == "ja" else text.en


FOOT: Final = Text(
    "括弧内は95 %信頼区間（ウィルソン）。角括弧内は許容範囲（YU-109）、? は区間がその境をまたぐもの。",
    "In parentheses the 95 % interval (Wilson); in brackets the band of YU-109, with ? where the "
    "interval reaches over its edge.",
)


# --- the command ---------------------------------------------------------------------------------


@click.command(short_help="Measure whether cards are fair. 札の釣り合いを測る")
@click.argument("game", type=click.Choice(["yumeochi"]))
@click.option(
    "--games",
    "number",
    type=click.IntRange(1, 1_000_000),
    default=2000,
    show_default=True,
    help="How many games.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default=LEVELS[-1],
    show_default=True,
    help="Who plays, in all seats.",
)
@click.option("--roles", default="", metavar="ID,...", help="Extra roles in the pool.")
@click.option("--set", "set_id", metavar="ID", help="The card set.  [default: the base set]")
@click.option(
    "--pack",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with a card set, which is then played.",
)
@click.option(
    "--exposed", is_flag=True, help="Turn up one seat's role from the start, each seat's in turn."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Other deals, other figures.")
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Processes.  [default: one for each core]"
)
@click.option("--strict", is_flag=True, help="End with status 1 if a figure is outside its band.")
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language; by default the locale's. / 言語。",
)
def balance(
    game: str,
    number: int,
    level: str,
    roles: str,
    set_id: str | None,
    pack: Path | None,
    exposed: bool,
    seed: int,
    workers: int | None,
    strict: bool,
    lang: str | None,
) -> None:
    """Play games of bots among themselves and print who won them, and how.

    A shared win counts 1/n. Every figure has its 95 % interval, and those that rule YU-109 limits
    say whether they lie within. How far it is goes to stderr. The status is 0 when the games were
    played, also where a figure is outside its band unless --strict is given; 2 if a file cannot be
    read, 1 if it has faults.
    """
    del game
    language = lang or locale_language()
    packs = {} if pack is None else _read(pack, language)
    setting = Setting(level, seed, set_id, _ids(roles), exposed, packs)
    setting = _checked(setting, language)
    options: Options = _prepared(setting)[1]
    played = run(setting, number, workers or os.cpu_count() or 1)
    found = figures(played, setting, options.cards)
    click.echo(_title(setting, options.cards, number, language))
    for line in lines(found, language):
        click.echo(line)
    click.echo("\n" + _said(FOOT, language))
    if strict and any(figure.is_within is False for figure in found):
        sys.exit(OUTSIDE)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _read(pack: Path, language: str) -> dict[str, bytes]:
    """Read a file of cards; one that cannot be read ends the process with status 2."""
    from .packs import PackFiles

    read = PackFiles.read([pack])
    if read.unreadable:
        tell(read.unreadable, language, err=True)
        sys.exit(UNREADABLE)
    return dict(read.texts)


def _checked(setting: Setting, language: str) -> Setting:
    """Return the setting with the set that is played.

    Raises:
        click.BadParameter: There is no such set, or it has no such roles, or nobody plays so.
    """
    from kaguraden_rules.catalogue import BadPack, games, in_lines
    from kaguraden_rules.kernel import BadOptions

    if setting.level not in find_players(GROUP, LEVELS):
        raise click.BadParameter("no such player is installed", param_hint="--level")
    try:
        game: Any = games(setting.packs)["yumeochi"]
    except BadPack as bad:
        tell(in_lines(bad.faults), language, err=True)
        sys.exit(FAULTS)
    if setting.packs and setting.set_id is None:
        (_, *added) = game.sets
        if not added:
            raise click.BadParameter("the file holds no set of yumeochi", param_hint="--pack")
        setting = evolve(setting, set_id=added[-1])
    try:
        _prepared(setting)
    except BadOptions as bad:
        hint = "--set" if bad.problems[0].path == "$.set" else "--roles"
        raise click.BadParameter(bad.problems[0].problem, param_hint=hint) from None
    return setting


def _title(setting: Setting, cards: CardSet, number: int, language: str) -> str:
    pool = ", ".join((_said(cards.name, language), *setting.roles))
    if language == "ja":
        return f"夢ヲチ: {pool}、{setting.level} 同士で {number} 局"
    return f"yumeochi: {pool}; {number} games of {setting.level} in all seats"
