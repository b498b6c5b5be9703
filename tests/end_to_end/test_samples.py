"""The samples for people who write clients: each plays a whole game of each game of the house.

They need Node.js and Chromium. Where those are missing their tests are skipped, and fail where the
environment has CI=true.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from kaguraden_client.conformance.clause import Result, Verdict
from kaguraden_client.conformance.client import Judge, Settings, scripted_server
from kaguraden_client.links import Link, read_link
from kaguraden_client.session import Session
from kaguraden_client.trio_shell import open_client
from kaguraden_protocol.links import join_link
from kaguraden_protocol.messages import Create

from tests.client.peer import Peer, serving
from tests.client.scripts import ROOM, Json, decision, info, update
from tests.end_to_end.chromium import Page, open_browser, open_page
from tests.end_to_end.house import SETTINGS, House, open_house
from tests.end_to_end.raw import connected
from tests.end_to_end.test_programs import start_when_ready

EXAMPLES = Path(__file__).parents[2] / "client" / "examples"
SECONDS = 60  # for a whole game; it takes one or two, and some more while others use the machine

every_game = pytest.mark.parametrize("game", ["odoriko", "enbu", "yumeochi"])


def installed(program: str, package: str) -> str:
    """Return the path of a program that the machine has to have."""
    path = shutil.which(program)
    if path is None:
        missing = f"{program} is not installed (apt-get install {package})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


async def run(*command: str) -> str:
    """Run a sample to its end and return what it printed."""
    with trio.fail_after(SECONDS):
        done = await trio.run_process(
            command, capture_stdout=True, capture_stderr=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def node_bot(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Install what the sample's lock file names into a copy, and return how to start that."""
    node, npm = installed("node", "nodejs"), installed("npm", "npm")
    copy = tmp_path_factory.mktemp("samples") / "node"
    shutil.copytree(EXAMPLES / "node", copy, ignore=shutil.ignore_patterns("node_modules"))
    install = (npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    done = subprocess.run(install, cwd=copy, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return node, str(copy / "bot.mjs")


@every_game
@pytest.mark.parametrize("sample", ["minimal_bot.py", "sdk_bot.py"])
async def test_a_sample_in_python_plays_a_whole_game(house: House, sample: str, game: str) -> None:
    assert "'ranking'" in await run(sys.executable, str(EXAMPLES / sample), house.url, game)


@every_game
async def test_the_sample_for_node_plays_a_whole_game(
    house: House, node_bot: tuple[str, str], game: str
) -> None:
    assert '"ranking"' in await run(*node_bot, house.url, game)


async def test_the_sample_for_node_joins_a_room(house: House, node_bot: tuple[str, str]) -> None:
    with trio.fail_after(SECONDS):
        async with connected(house.url, "Aki", 2) as host, trio.open_nursery() as nursery:
            place = await host.create(2)
            nursery.start_soon(partial(run, *node_bot, house.url, place.room))
            await start_when_ready(host, place, 2)
            await host.play(place)


# --- by the clauses of the specification -----------------------------------------------------------


def faults_of(judge: Judge) -> dict[str, Result]:
    """Return what a sample had to do and did not."""
    return {r.clause.id: r for r in judge.results() if r.verdict is Verdict.FAILED}


async def test_the_sample_with_the_package_does_all_that_a_client_does() -> None:
    """Lost connections, too; it asks for no patches, and ends with the outcome."""
    with trio.fail_after(SECONDS):
        async with scripted_server(Settings(rounds=2)) as judge, trio.open_nursery() as nursery:
            nursery.start_soon(run, sys.executable, str(EXAMPLES / "sdk_bot.py"), judge.url)
            await judge.done.wait()
    others = {r.clause.id for r in judge.results() if r.verdict is not Verdict.PASSED}
    assert others == {"C-patch-hash", "C-stays-away"}


async def test_the_sample_for_node_does_all_that_a_client_must(node_bot: tuple[str, str]) -> None:
    settings = Settings(rounds=2, soon=1.0, drops=False)
    with trio.fail_after(SECONDS):
        async with scripted_server(settings) as judge, trio.open_nursery() as nursery:
            nursery.start_soon(partial(run, *node_bot, judge.url))
            await judge.done.wait()
    assert faults_of(judge) == {}


async def test_the_sample_for_browsers_does_all_that_a_client_must(devtools: str) -> None:
    file = (EXAMPLES / "browser" / "index.html").as_uri()
    with trio.fail_after(SECONDS):
        async with scripted_server(Settings(rounds=2)) as judge, open_page(devtools) as page:
            await page.goto(f"{file}?lang=en&auto=1&game=enbu&url={judge.url}")
            await judge.done.wait()
    assert faults_of(judge) == {}


# --- the page ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def devtools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_browser(installed("chromium", "chromium"), tmp_path_factory.mktemp("chrome")) as url:
        yield url


def page_of(house: House) -> str:
    return house.url.replace("ws://", "http://").removesuffix("/ws") + "/play?lang=en"


async def wait_over(page: Page) -> str:
    """Return the page's title when its game is over."""
    title: str = await page.wait_for('document.title.startsWith("Game over") && document.title')
    return title


@every_game
async def test_the_sample_for_browsers_plays_a_whole_game(
    house: House, devtools: str, game: str
) -> None:
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page:
            await page.goto(f"{page_of(house)}&auto=1&game={game}&name=Aki")
            title = await wait_over(page)
            assert re.search(r"\b\d\. Aki \(-?\d+\)", title)
            shown = await page.eval('document.getElementById("outcome").innerText')
            assert "Aki" in shown
            assert page.faults == []


async def test_the_page_from_a_disk_plays_where_the_server_lets_it(
    devtools: str, tmp_path: Path
) -> None:
    file = (EXAMPLES / "browser" / "index.html").as_uri()
    settings = f'[server]\nallowed_origins = ["null"]\n{SETTINGS}'
    with trio.fail_after(SECONDS), open_house(tmp_path, settings) as house:
        async with open_page(devtools) as page:
            await page.goto(f"{file}?lang=en&auto=1&game=enbu&url={house.url}")
            await wait_over(page)


async def test_the_page_from_elsewhere_is_told_what_to_look_at(house: House, devtools: str) -> None:
    file = (EXAMPLES / "browser" / "index.html").as_uri()
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page:
            await page.goto(f"{file}?lang=en&auto=1&game=enbu&url={house.url}")
            said = 'document.getElementById("status").textContent'
            assert "allowed_origins" in await page.wait_for(f'!{said}.endsWith("…") && {said}')


async def enter(page: Page, house: House, name: str) -> None:
    await page.goto(page_of(house))
    await page.eval('document.querySelector("input").value = ""')  # the name of the last time
    await page.click('document.querySelector("input")')
    await page.type(name)
    await page.press('document.querySelector("button.main")')
    await page.wait_for('document.querySelectorAll("button.main").length === 3')


async def test_a_join_link_leads_to_its_table_over_tls(tmp_path: Path) -> None:
    chromium = installed("chromium", "chromium")
    settings = f'[tls]\nmode = "auto"\n[data]\ndir = "{tmp_path / "data"}"\n{SETTINGS}'
    flags = "--ignore-certificate-errors"  # as a person does who was told the fingerprint
    with (
        trio.fail_after(SECONDS),
        open_house(tmp_path, settings) as house,
        open_browser(chromium, tmp_path / "chrome", flags) as devtools,
    ):
        pem = (tmp_path / "data" / "tls" / "certificate.pem").read_text()
        der = ssl.PEM_cert_to_DER_cert(pem[pem.index("-----BEGIN CERT") :])
        pin = hashlib.sha256(der).hexdigest()
        async with open_client(house.url, Session("Aki"), pin=pin) as aki:
            room = str((await aki.request(Create(id=0, game="yumeochi")))["room"])
            link = join_link(house.url, room, pin).replace("?", "?lang=en&")
            async with open_page(devtools) as page:
                await page.goto(link)
                assert await page.eval('document.querySelector("h2").innerText') == room
                await page.click('document.querySelector("input")')
                await page.type("Rin")
                await page.press('document.querySelector("button.main")')
                await page.wait_for(f'document.title.includes("{room}")')
                invite = await page.wait_for('document.querySelector("main a")?.href')
                assert read_link(invite) == Link(house.url, room, pin)
                assert page.faults == []
            async with open_page(devtools) as page:  # another tab is somebody new, of that name
                await page.goto(link)
                await page.wait_for(f'document.title.includes("{room}")')
                seats = await page.wait_for('document.querySelector(".seats")?.innerText')
                assert seats.count("Rin") == 2
                assert page.faults == []


async def test_the_page_shows_what_who_runs_the_server_announces(
    devtools: str, tmp_path: Path
) -> None:
    place = tmp_path / "admin.sock"
    settings = f'[admin]\nsocket = "{place}"\n{SETTINGS}'
    with trio.fail_after(SECONDS), open_house(tmp_path, settings) as house:
        async with open_page(devtools) as page:
            await enter(page, house, "Aki")
            command = [sys.executable, "-m", "kaguraden_server", "admin", "announce"]
            told = ["we stop at ten <b>\u202e", "--socket", str(place)]
            await trio.run_process([*command, *told], capture_stdout=True)
            said = 'document.getElementById("status").textContent'
            shown = await page.wait_for(f'{said}.includes("we stop") && {said}')
            assert shown == "from the server: we stop at ten <b>"


async def test_a_person_plays_a_game_by_clicking(house: House, devtools: str) -> None:
    rng = random.Random(7)
    options = 'button.option, button.pick[aria-pressed="false"]'
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page:
            await enter(page, house, "Aki")
            await page.press('document.querySelector("button.main")')  # the first game: odoriko
            while True:
                what = await page.wait_for(
                    'document.title.startsWith("Game over") ? "over" : '
                    'document.querySelector("dialog[open]") ? "dialog button" : '
                    'document.querySelector("button.send:enabled") ? "button.send" : '
                    f"document.querySelectorAll({options!r}).length"
                )
                if what == "over":
                    break
                if isinstance(what, str):
                    await page.click(f"document.querySelector({what!r}) ?? document.body")
                    continue
                # The bots' moves may change the page meanwhile. A click that misses is no harm, and
                # one that hits a card opens what it says.
                at = rng.randrange(what)
                await page.click(f"document.querySelectorAll({options!r})[{at}] ?? document.body")
            await page.press('document.querySelector("#outcome button")')
            await page.wait_for('document.querySelectorAll("button.main").length === 3')
            assert page.faults == []


async def test_people_meet_at_a_table_and_a_reload_keeps_the_seat(
    house: House, devtools: str
) -> None:
    """Names are text to the page, whatever stands in them."""
    name = "<b id=bold>Rin</b>"
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page, connected(house.url, name, 3) as guest:
            await enter(page, house, "Aki")
            await page.click(
                'document.querySelector("form[data-key=yumeochi] button[type=button]")'
            )
            room = await page.wait_for('document.title.includes("-") && document.title.slice(0, 9)')
            place = await guest.join(room)
            await guest.get_ready(place)
            await page.wait_for(f"document.body.textContent.includes({name!r})")
            await page.goto(page_of(house))
            await page.wait_for(f"document.body.textContent.includes({name!r})")
            assert await page.eval('document.getElementById("bold")') is None
            mine, other, *_ = place.info["seats"]
            assert (mine["name"], other["name"]) == ("Aki", name)
            while place.info["seats"][0].get("away"):
                await guest.read()
            for seated in (3, 4):
                await page.click(
                    '[...document.querySelectorAll("button")].find((b) => b.textContent === "Add a bot")'
                )
                ready = '[...document.querySelectorAll(".tag")].filter((one) => one.innerText === "ready")'
                await page.wait_for(f"{ready}.length === {seated}")
            await page.click('document.querySelector("button.main")')
            while not place.view:
                await guest.read()
            await page.wait_for('document.querySelector(".seat.now")')
            assert page.faults == []


# --- the page, with a server that says what a script tells it to --------------------------------------


@asynccontextmanager
async def page_at_a_table(devtools: str, script: Callable[[Peer], None]) -> AsyncIterator[Page]:
    """Open the page at a table whose game has begun, with a server that goes on by the script."""

    def whole(peer: Peer) -> None:
        peer.greet()
        join = peer.read()
        peer.say({"type": "room", "room": ROOM, "info": info(phase="playing")})
        peer.ok(join, room=ROOM, seat=0)
        peer.ok(peer.read(), cards={}, rulebook={"ja": "", "en": ""})  # the catalogue
        script(peer)
        peer.wait_end()

    file = (EXAMPLES / "browser" / "index.html").as_uri()
    with trio.fail_after(SECONDS), serving(whole) as server:
        async with open_page(devtools) as page:
            await page.goto(f"{file}?lang=en&name=Aki&room={ROOM}&url={server.url}")
            yield page
            assert page.faults == []


def shown(seq: int, **changes: Any) -> Json:
    """Return an update whose view brings what a painter needs, and its own number."""
    view = {"game": "odoriko", "phase": f"phase{seq}", "seats": [], "table": {}, "asked": [0]}
    return update(seq, full=seq == 1, view={**view, **changes.pop("view", {})}, **changes)


def seen(seq: int) -> str:
    return f'document.querySelector("main").textContent.includes("phase{seq}")'


NUMBER = {"id": "o9", "kind": "bid", "args": {}, "value": {"type": "int", "min": 1, "max": 90}}
OPTION = 'document.querySelector("button.option")'
ALL = 'document.querySelectorAll("button.option").length'


@pytest.mark.parametrize("code", ["illegal_option", "unavailable"])
async def test_after_a_refused_answer_the_page_offers_the_choices_again(
    devtools: str, code: str
) -> None:
    def script(peer: Peer) -> None:
        peer.say(shown(1, decisions=[decision(1)]))
        for _ in range(2):
            act = peer.read()
            assert (act["decision"], act["option"]) == ("0.1", "draw:resource")
            error = {"type": "error", "re": act["id"], "code": code, "message": "not so"}
            peer.say({**error, "details": {}})

    async with page_at_a_table(devtools, script) as page:
        for _ in range(2):
            await page.wait_for(f"{ALL} === 2")
            await page.click(OPTION)
            await page.wait_for('document.getElementById("status").textContent === "not so"')
            await page.eval('status("")')
        await page.wait_for(f"{ALL} === 2")


async def test_what_was_picked_for_a_refused_answer_is_picked_still(devtools: str) -> None:
    cards = {"type": "cards", "from": ["9D", "QH"], "min": 1, "max": 2}
    option = {"id": "o0", "kind": "sell", "args": {}, "value": cards}

    def script(peer: Peer) -> None:
        peer.say(shown(1, decisions=[decision(1, options=[option], default="o0")]))
        error = {"type": "error", "re": peer.read()["id"], "code": "bad_value", "message": "no"}
        peer.say({**error, "details": {}})
        act = peer.read()
        assert act["value"] == ["QH", "9D"]
        peer.ok(act, seq=1)

    send = 'document.querySelector("button.send:enabled")'
    async with page_at_a_table(devtools, script) as page:
        await page.wait_for(f"{ALL} === 1")
        await page.click(OPTION)
        await page.click('document.querySelectorAll("button.pick")[1]')
        await page.click(send)
        await page.wait_for(f'document.getElementById("status").textContent === "no" && {send}')
        await page.click('document.querySelectorAll("button.pick")[0]')
        await page.click(send)
        await page.wait_for(f"!{send}")


async def test_what_is_kept_does_what_the_new_one_would(devtools: str) -> None:
    async with page_at_a_table(devtools, lambda _: None) as page:
        said = await page.eval(
            """(() => {
                const said = [];
                const kept = el("p", {}, button("Yes", () => said.push("old")));
                const press = kept.firstChild;
                renew(kept, el("p", {}, "And? ", button("Yes", () => said.push("new"))));
                press.click();
                return [kept.textContent, kept.lastChild === press, ...said];
            })()"""
        )
        assert said == ["And? Yes", True, "new"]


async def test_an_answer_that_came_too_late_is_not_offered_again(devtools: str) -> None:
    def script(peer: Peer) -> None:
        peer.say(shown(1, decisions=[decision(1)]))
        error = {"type": "error", "re": peer.read()["id"], "code": "stale", "message": "late"}
        peer.say({**error, "details": {}})
        peer.say({"type": "notice", "code": "x", "message": "after it", "details": {}})

    async with page_at_a_table(devtools, script) as page:
        await page.wait_for(f"{ALL} === 2")
        await page.click(OPTION)
        await page.wait_for('document.getElementById("status").textContent === "after it"')
        assert await page.eval(ALL) == 0


async def test_what_is_typed_stays_while_updates_come(devtools: str) -> None:
    go = threading.Event()

    def script(peer: Peer) -> None:
        asked = decision(1, options=[NUMBER], default="o9")
        peer.say(shown(1, decisions=[asked]))
        assert go.wait(SECONDS)
        peer.say(shown(2, decisions=[asked, decision(2)]))
        act = peer.read()
        assert (act["option"], act["value"]) == ("o9", 42)
        peer.ok(act, seq=2)

    async with page_at_a_table(devtools, script) as page:
        await page.wait_for(f"{ALL} === 1")
        await page.click(OPTION)
        await page.click('document.querySelector("input")')
        await page.eval("document.activeElement.select()")
        await page.type("4")
        go.set()
        await page.wait_for(seen(2))
        await page.type("2")
        assert await page.eval("document.activeElement.value") == "42"
        await page.click('document.querySelector("button.send")')
        await page.wait_for(f"{ALL} === 2")  # those of the other decision


async def test_a_press_of_the_mouse_outlasts_an_update_but_not_its_decision(devtools: str) -> None:
    """A person takes a tenth of a second for a click, and bots do not wait for that."""
    steps = [threading.Event(), threading.Event()]

    def script(peer: Peer) -> None:
        peer.say(shown(1, decisions=[decision(1)]))
        assert steps[0].wait(SECONDS)
        peer.say(shown(2, decisions=[decision(2)]))
        assert steps[1].wait(SECONDS)
        peer.say(shown(3, decisions=[decision(2)], events=[{"kind": "happened"}] * 9))
        act = peer.read()
        assert (act["decision"], act["option"]) == ("0.2", "draw:resource")
        peer.ok(act, seq=3)

    async with page_at_a_table(devtools, script) as page:
        await page.wait_for(f"{ALL} === 2")
        for number, step in enumerate(steps, 2):
            at = await page.middle(OPTION)
            await page.mouse("mousePressed", at)
            step.set()
            await page.wait_for(seen(number))
            await page.mouse("mouseReleased", at)
            assert await page.eval(ALL) == (2 if number == 2 else 0)


async def test_the_page_shows_lists_with_nothing_in_them(devtools: str) -> None:
    odd = [None, False, True, [None], {"card": None}, 3]

    def script(peer: Peer) -> None:
        option = {"id": "o0", "kind": "odd", "args": {"left": odd}}
        asked = decision(1, options=[option], default="o0")
        events = [{"kind": "happened", "what": odd}]
        peer.say(shown(1, decisions=[asked], events=events, view={"table": {"pages": odd}}))

    async with page_at_a_table(devtools, script) as page:
        words = "–, –, ✓, –, (), 3"
        assert words in await page.wait_for(f"{OPTION} && {OPTION}.textContent")
        assert words in await page.eval('document.getElementById("log").textContent')
        assert "– – ✓ " in await page.eval('document.querySelector("main").textContent')


@pytest.mark.parametrize(("asked", "lang"), [("fr", "en"), ("", "en"), ("ja", "ja"), ("en", "en")])
async def test_the_page_speaks_one_of_its_languages(devtools: str, asked: str, lang: str) -> None:
    """The browser of the tests asks for English."""
    file = (EXAMPLES / "browser" / "index.html").as_uri()
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page:
            await page.goto(f"{file}?lang={asked}")
            assert await page.eval("document.documentElement.lang") == lang
            other = {"en": "日本語", "ja": "English"}[lang]
            assert await page.eval('document.getElementById("lang").textContent') == other
            await page.click('document.getElementById("lang")')
            assert (
                await page.eval("document.documentElement.lang") == {"en": "ja", "ja": "en"}[lang]
            )


async def test_the_lobby_changes_under_what_is_typed(house: House, devtools: str) -> None:
    with trio.fail_after(SECONDS):
        async with open_page(devtools) as page, connected(house.url, "Rin", 3) as guest:
            await enter(page, house, "Aki")
            await page.eval(
                """const count = document.querySelector("select");
                count.value = count.options[count.options.length - 1].value;"""
            )
            room = (await guest.create(2)).room
            await page.click('document.querySelector("input")')
            await page.type(room[:6])
            other = (await guest.create(2)).room
            await page.wait_for(f"document.body.textContent.includes({other!r})")
            await page.type(room[6:])
            assert await page.eval("document.activeElement.value") == room
            count = 'document.querySelector("select")'
            assert await page.eval(f"{count}.value === [...{count}.options].at(-1).value")
            await page.click('document.querySelector("form:not(.seat) button")')
            await page.wait_for(f"document.title.startsWith({room!r})")
            for place in guest.places:
                await guest.ask("leave", room=place)
            assert page.faults == []


def test_the_page_makes_no_html_of_what_comes_over_the_wire() -> None:
    text = (EXAMPLES / "browser" / "index.html").read_text("utf-8")
    assert not re.search(r"(inner|outer|Adjacent)HTML|document\.write|\beval\(|Function\(", text)
    assert not re.search(r"https?://", text), "it needs nothing from elsewhere"


def test_samples_are_short_and_need_nothing_but_what_they_say() -> None:
    bot = (EXAMPLES / "sdk_bot.py").read_text("utf-8")
    assert len(bot.splitlines()) <= 15
    imported = re.findall(r'from "(.*)";', (EXAMPLES / "node" / "bot.mjs").read_text("utf-8"))
    assert imported == ["ws"]
    assert '"resolved"' not in (EXAMPLES / "node" / "package-lock.json").read_text("utf-8")
