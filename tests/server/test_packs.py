"""Card packs of a host: checked by a command, added at the start, sent to everybody."""

import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from kaguraden_protocol.limits import Limits
from kaguraden_server.app import App
from kaguraden_server.commands import cards, serve
from kaguraden_server.config import Config, DataSettings
from kaguraden_server.packs import MAX_FILES, PackError, catalog_of, load_games
from kaguraden_server.sources import Sources

ROOT = Path(__file__).parents[2]
EXAMPLE = next(
    text
    for text in re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    if text.startswith("format")
)  # the whole small pack that people start from

WORKSHOP = (ROOT / "tests/rules/yumeochi_sets/workshop.toml").read_text("utf-8")

BOOK = """\
schema = 1
id = "odori"
family = "yorozu"
name = "踊りの帖"
table = {{ pages = 1, stage = 3, hand = 1 }}
extra = {{ drop = false, reshuffle = false, wild = false }}
goal = {{ kind = "all" }}
[cards]
inu = {cards}
saru = 1
[programs]
first = ["kenen"]
rest = []
"""


def check(*arguments: object) -> Result:
    return CliRunner().invoke(cards, ["check", *map(str, arguments)])


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def many(set_id: str, number: int) -> str:
    card = '[[card]]\nid = "{0}_{1}"\nkind = "character"\nname = {{ en = "{1}" }}\n'
    return f'format = 1\nset = "{set_id}"\n' + "".join(
        card.format(set_id, n) for n in range(number)
    )


# --- cards check ---------------------------------------------------------------------------------


def test_the_example_of_the_readme_passes(tmp_path: Path) -> None:
    birds = put(tmp_path, "birds.toml", EXAMPLE)
    result = check("--lang", "en", birds)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{birds}: 1 character, 1 event, no faults\n"
    assert "birds.toml: 1 character, 1 event, no faults" in (ROOT / "README.md").read_text("utf-8")


def test_faults_are_lines_in_the_order_of_the_file(tmp_path: Path) -> None:
    """OD-188: place, code, card, path, what stands there, what would be right."""
    text = EXAMPLE.replace('["H"]', '["Z"]').replace("{ vp = 2 }", "{ pv = 2 }")
    birds = put(tmp_path, "birds.toml", text)
    numbered = text.splitlines()
    cost, suit = (
        next(n for n, line in enumerate(numbered, 1) if word in line) for word in ("pv = 2", '"Z"')
    )
    result = check("--lang", "en", birds)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f'{birds}:{cost}: V-02 card "bd_wren" card[0].skill.cost[0].pv: got "pv"; '
        "expected one of the keys discard, vp (did you mean vp?)",
        f'{birds}:{suit}: V-06 card "bd_wren" card[0].score[0].match.suit[0]: got "Z"; '
        "expected one of S, H, D, C",
        f"{birds}: 2 faults",
    ]
    japanese = check("--lang", "ja", birds).stdout.splitlines()
    assert japanese[1].endswith('suit[0]: 実際は "Z"。正しくは次のどれか: S, H, D, C')
    assert japanese[-1] == f"{birds}: 誤り 2 件"


def test_of_many_faults_the_first_are_told(tmp_path: Path) -> None:
    """OD-188: whoever gives a file that is none does not get thousands of lines."""
    a = put(tmp_path, "a.toml", EXAMPLE + "".join(f"odd_{n} = 1\n" for n in range(60)))
    b = put(tmp_path, "b.toml", "odd = 1\n")
    of_a, of_b = (
        [
            line
            for line in check("--lang", "en", a, b).stdout.splitlines()
            if line.startswith(str(p))
        ]
        for p in (a, b)
    )
    assert ("odd_49:" in of_a[49], of_a[50:]) == (
        True,
        [f"{a}: and 10 more", f"{a}: 60 faults"],
    )
    assert of_b[-1] == f"{b}: {len(of_b) - 1} faults"
    assert f"{a}: ほかに 10 件" in check("--lang", "ja", a).stdout.splitlines()
    with pytest.raises(PackError) as error:
        load_games(str(tmp_path), Limits())
    assert len(error.value.lines) == len(of_a) - 1 + len(of_b) - 1


def test_files_are_checked_together_and_against_the_games_cards(tmp_path: Path) -> None:
    """OD-188 (V-05): the first file that has an id keeps it."""
    a = put(tmp_path, "a.toml", EXAMPLE)
    b = put(tmp_path, "b.toml", EXAMPLE.replace("bd_wren", "cc001").replace('"birds"', '"b2"'))
    result = check("--lang", "en", a, b)
    assert result.exit_code == 1
    good, first, second, summed = result.stdout.splitlines()
    assert good.endswith("no faults")
    assert first.endswith("an id of its own; the game's set seed has this one")
    assert second.endswith(f"an id of its own; {a} has this one")
    assert summed == f"{b}: 2 faults"


def test_a_file_named_twice_is_checked_once(tmp_path: Path) -> None:
    a = put(tmp_path, "a.toml", EXAMPLE)
    result = check(a, a, tmp_path / ".." / tmp_path.name / "a.toml")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_what_cannot_be_read_is_told_beside_the_rest(tmp_path: Path) -> None:
    good = put(tmp_path, "good.toml", EXAMPLE)
    result = check("--lang", "en", tmp_path / "none.toml", good, tmp_path)
    assert result.exit_code == 2
    assert [line.rpartition(": ")[0] for line in result.stderr.splitlines()] == [
        str(tmp_path / "none.toml"),
        str(tmp_path),
    ]
    assert result.stdout.startswith(f"{good}: 1 character")
    assert check().exit_code == 2
    assert check("--lang", "fr", good).exit_code == 2


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"LC_ALL": "ja_JP.UTF-8"}, "誤りなし"),
        ({"LANG": "ja_JP.UTF-8"}, "誤りなし"),
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "ja_JP.UTF-8"}, "no faults"),
    ],
)
def test_the_language_is_the_locales(
    variables: dict[str, str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert told in check(put(tmp_path, "a.toml", EXAMPLE)).stdout


def test_more_cards_than_a_message_holds_are_told(tmp_path: Path) -> None:
    """Every file is right by itself, and all together cannot be sent."""
    a, b = (put(tmp_path, f"{name}.toml", many(name, 250)) for name in ("aa", "bb"))
    assert check(a).exit_code == 0
    result = check("--lang", "en", a, b)
    assert result.exit_code == 1
    assert re.match(r"odoriko has too many cards to send .* \(at most 4096\)", last(result.stdout))
    assert "踊り子のカードが多すぎて" in last(check("--lang", "ja", a, b).stdout)


def last(text: str) -> str:
    return text.splitlines()[-1]


def test_names_of_files_are_printed_without_control_characters(tmp_path: Path) -> None:
    result = check(put(tmp_path, "a\x1b[31m.toml", EXAMPLE), tmp_path / "b\x1b[31m.toml")
    assert "\x1b" not in result.output


def test_the_commands_of_the_project_are_commands() -> None:
    """Among them `kaguraden cards`; an installed copy has what was there when it was installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["kaguraden.commands"]
    assert points["cards"] == "kaguraden_server.commands:cards"
    for name, value in points.items():
        command = EntryPoint(name, value, "kaguraden.commands").load()
        assert isinstance(command, click.Command), name


# --- serve --packs -------------------------------------------------------------------------------


def test_serve_ends_with_2_and_a_line_for_each_fault(tmp_path: Path) -> None:
    bad = put(tmp_path, "a.toml", EXAMPLE.replace('["H"]', '["Z"]'))
    (tmp_path / "b.toml").mkdir()
    result = CliRunner().invoke(
        serve, ["--port", "0", "--packs", str(tmp_path)], env={"LC_ALL": "C"}
    )
    assert (result.exit_code, result.stdout) == (2, "")
    checked = [line for line in check("--lang", "en", bad).stdout.splitlines() if "V-" in line]
    assert result.stderr.splitlines() == [f"{tmp_path / 'b.toml'}: not a file", *checked]


def test_a_link_that_leads_nowhere_is_a_fault_of_the_folder(tmp_path: Path) -> None:
    """Also one whose target has no possible name, which not every question about a path bears."""
    for name, target in (("a", "x" * 300), ("b", "b.toml"), ("c", "gone")):
        (tmp_path / f"{name}.toml").symlink_to(target)
    with pytest.raises(PackError) as error:
        load_games(str(tmp_path), Limits())
    assert [line.en.split(":")[0] for line in error.value.lines] == [
        str(tmp_path / f"{name}.toml") for name in "abc"
    ]


def test_the_folder_is_a_setting_too(tmp_path: Path) -> None:
    file = put(tmp_path, "kaguraden.toml", f'[data]\npacks = "{tmp_path / "packs"}"\n')
    result = CliRunner().invoke(serve, ["--port", "0", "--config", str(file)])
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path / 'packs'}: No such file or directory\n"
    over = {"data": {"packs": "elsewhere"}}
    assert Sources(file, flags=over).read().config.data.packs == "elsewhere"


def sets(folder: Path, limits: Limits | None = None) -> list[str]:
    packs = load_games(str(folder), limits or Limits())["odoriko"].catalog()["packs"]
    assert isinstance(packs, list)
    return [str(pack["id"]) for pack in packs if isinstance(pack, dict)]


def test_all_packs_of_a_folder_are_added_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, set_id in (("b.toml", "xx"), ("a.toml", "yy"), (".c.toml", "zz"), ("d.txt", "ww")):
        put(tmp_path, name, many(set_id, 1))
    assert sets(tmp_path) == ["seed", "house", "yy", "xx"]
    app = App(Config(data=DataSettings(packs=str(tmp_path))), bots={})
    assert app.games["odoriko"] == load_games(str(tmp_path), Limits())["odoriko"]
    (tmp_path / "a.toml").unlink()
    assert sets(tmp_path) == ["seed", "house", "xx"]


def test_books_of_enbu_lie_in_the_folder_beside_card_packs(tmp_path: Path) -> None:
    """EN-99: a book is known by its id, in rooms and in the catalogue."""
    put(tmp_path, "birds.toml", many("xx", 1))
    put(tmp_path, "odori.toml", BOOK.format(cards=1))
    loaded = load_games(str(tmp_path), Limits())
    assert sets(tmp_path)[-1] == "xx"
    told = catalog_of(loaded["enbu"]).books
    assert told is not None
    assert list(told)[-1] == "odori"
    assert loaded["enbu"].parse_options({"book": "daily:odori"}).is_daily is True
    put(tmp_path, "odori.toml", BOOK.format(cards=9))
    with pytest.raises(PackError, match=r"odori\.toml:9: E-COPIES"):
        load_games(str(tmp_path), Limits())


def test_card_sets_of_yumeochi_lie_in_the_folder_beside_card_packs(tmp_path: Path) -> None:
    """YU-93, YU-99: a room chooses one, whose cards the catalogue tells by the room's options."""
    put(tmp_path, "birds.toml", many("xx", 1))
    put(tmp_path, "workshop.toml", WORKSHOP)
    loaded = load_games(str(tmp_path), Limits())
    assert sets(tmp_path)[-1] == "xx"
    game = loaded["yumeochi"]
    chosen = catalog_of(game, game.parse_options({"set": "workshop"})).cards
    assert "lantern" in chosen
    assert "lantern" not in catalog_of(game).cards
    put(tmp_path, "workshop.toml", WORKSHOP.replace('do = "draw"', 'do = "drow"'))
    with pytest.raises(PackError, match=r"workshop\.toml:\d+: E_EFFECT .*did you mean draw"):
        load_games(str(tmp_path), Limits())


def test_no_folder_is_the_games_as_they_are() -> None:
    assert load_games("", Limits())["odoriko"] == App(Config(), bots={}).games["odoriko"]


def test_a_folder_has_no_more_files_than_it_may(tmp_path: Path) -> None:
    for n in range(MAX_FILES):
        put(tmp_path, f"{n}.toml", many(f"s{n}", 1))
    assert len(sets(tmp_path)) == MAX_FILES + 2
    put(tmp_path, "one_more.toml", many("more", 1))
    with pytest.raises(PackError, match="65 card files; at most 64 are taken"):
        sets(tmp_path)


def test_packs_that_do_not_fit_the_servers_messages_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "a.toml", many("aa", 100))
    assert sets(tmp_path) == ["seed", "house", "aa"]
    with pytest.raises(PackError, match=r"[0-9]+ bytes \(at most 60000\); leave some packs out"):
        sets(tmp_path, evolve(Limits(), frame_out_bytes=60_000))
