"""A headless Chromium and its pages, driven over the DevTools protocol: no library for it needed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field
from websockets.trio.client import ClientConnection, connect

__all__ = ["Page", "open_browser", "open_page"]

Json = dict[str, Any]
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--no-proxy-server", "--lang=en", "--window-size=1200,900"),
)


@contextmanager
def open_browser(program: str, folder: Path, *flags: str) -> Iterator[str]:
    """Start a browser with nothing of earlier ones; yield the address of its DevTools."""
    command = (program, *FLAGS, *flags, f"--user-data-dir={folder}", "--remote-debugging-port=0")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if "DevTools listening on " in line:
                break
        else:
            raise AssertionError(f"the browser did not start: {''.join(said)}")
        try:
            yield line.partition("DevTools listening on ")[2].strip()
        finally:
            process.terminate()
            process.stderr.read()  # to its end, so that it can write what it likes


@define(eq=False)
class Page:
    """One page. Everything happens in the task that calls."""

    _ws: ClientConnection
    _session: str = ""
    faults: list[str] = field(factory=list)
    """What went wrong in the page: errors that nobody caught, and what its policy forbade."""
    _last_id: int = 0
    _loaded: set[str] = field(factory=set)  # ids of what loaded documents

    async def ask(self, method: str, **params: Any) -> Json:
        """Send a command and return its result."""
        self._last_id += 1
        session = {"sessionId": self._session} if self._session else {}
        command = {"id": self._last_id, "method": method, "params": params, **session}
        await self._ws.send(json.dumps(command))
        while True:
            message = await self._read()
            if message.get("id") == self._last_id:
                assert "error" not in message, (command, message)
                result: Json = message["result"]
                return result

    async def goto(self, url: str) -> None:
        """Open an address and return when the page is there."""
        loader = (await self.ask("Page.navigate", url=url))["loaderId"]
        while loader not in self._loaded:
            await self._read()

    async def eval(self, expression: str) -> Any:
        """Return the value of an expression, of a promise when it has come."""
        done = await self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    async def wait_for(self, expression: str) -> Any:
        """Return the value of an expression as soon as a change of the page makes it true."""
        return await self.eval(
            f"""new Promise((done) => {{
                const look = () => {{
                    const value = ({expression});
                    if (value) {{ watch.disconnect(); done(value); }}
                }};
                const watch = new MutationObserver(look);
                watch.observe(document, {{
                    attributes: true, childList: true, characterData: true, subtree: true }});
                look();
            }})"""
        )

    async def press(self, element: str) -> None:
        """Click without a mouse, which may miss what is drawn anew meanwhile."""
        await self.eval(f"({element}).click()")

    async def click(self, element: str) -> None:
        """Press and let go of the mouse in the middle of what an expression gives."""
        at = await self.middle(element)
        await self.mouse("mousePressed", at)
        await self.mouse("mouseReleased", at)

    async def middle(self, element: str) -> tuple[float, float]:
        """Scroll to what an expression gives, and return where it is."""
        x, y = await self.eval(
            f"""(() => {{
                const element = {element};
                element.scrollIntoView({{ block: "center" }});
                const box = element.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        return x, y

    async def mouse(self, kind: str, at: tuple[float, float]) -> None:
        """Do one thing with the left button of the mouse: `mousePressed` or `mouseReleased`."""
        x, y = at
        await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def type(self, text: str) -> None:
        """Type into what has the focus."""
        await self.ask("Input.insertText", text=text)

    async def _read(self) -> Json:
        message: Json = json.loads(await self._ws.recv())
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.faults.append(str(message["params"]["exceptionDetails"]))
            case "Page.lifecycleEvent" if message["params"]["name"] == "load":
                self._loaded.add(message["params"]["loaderId"])
            case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                self.faults.append(str(message["params"]["entry"]))
        return message


@asynccontextmanager
async def open_page(devtools: str) -> AsyncIterator[Page]:
    """Open an empty page in a browser, and close it again."""
    # Nobody reads while a page plays by itself: what comes meanwhile waits, and no ping is asked for.
    async with connect(
        devtools, proxy=None, compression=None, max_size=None, max_queue=None, ping_interval=None
    ) as ws:
        page = Page(ws)
        target = await page.ask("Target.createTarget", url="about:blank")
        attached = await page.ask(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        page._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            await page.ask(f"{domain}.enable")
        await page.ask("Page.setLifecycleEventsEnabled", enabled=True)
        yield page
        page._session = ""
        await page.ask("Target.closeTarget", targetId=target["targetId"])
