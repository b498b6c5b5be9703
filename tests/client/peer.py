"""A real WebSocket server for the tests of what has connections: one script for each."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.client.scripts import ROOM, decision, hello_result, update

__all__ = ["Peer", "Server", "serving", "table_with_a_turn"]

Json = dict[str, Any]


class Peer:
    """The server's end of one connection."""

    def __init__(self, ws: ServerConnection, server: Server) -> None:
        self.ws = ws
        self.server = server

    def read(self) -> Json:
        message: Json = json.loads(self.ws.recv(timeout=20))
        self.server.heard.append(message)
        return message

    def say(self, message: Json) -> None:
        self.ws.send(json.dumps(message))

    def ok(self, request: Json, **result: Any) -> None:
        self.say({"type": "ok", "re": request["id"], "result": result})

    def greet(self, rooms: list[Json] | None = None) -> Json:
        hello = self.read()
        self.ok(hello, **hello_result(resumed="resume" in hello, rooms=rooms or []))
        return hello

    def drop(self) -> None:
        """Break the line without a close frame."""
        self.ws.socket.shutdown(socket.SHUT_RDWR)

    def wait_end(self) -> None:
        """Read until the client ends the connection."""
        while True:
            self.ws.recv(timeout=20)


class Server:
    """One script a connection; more connections than scripts are refused."""

    def __init__(self, scripts: list[Callable[[Peer], None]]) -> None:
        self.scripts = list(scripts)
        self.heard: list[Json] = []
        self.errors: list[BaseException] = []
        self.url = ""
        self.asked = 0  # requests that came, of whatever became of them

    def note(self, _ws: ServerConnection, _request: Request) -> None:
        self.asked += 1

    def handle(self, ws: ServerConnection) -> None:
        if not self.scripts:
            ws.close(4005, "no more scripts")
            return
        script = self.scripts.pop(0)
        try:
            script(Peer(ws, self))
        except ConnectionClosed:
            pass
        except BaseException as error:
            self.errors.append(error)


@contextmanager
def serving(
    *scripts: Callable[[Peer], None], tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    server = Server(list(scripts))
    with serve(
        server.handle,
        "127.0.0.1",
        0,
        ssl=tls,
        subprotocols=[Subprotocol("kaguraden.v1")],
        compression=None,
        process_request=server.note,
    ) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        host, port = listener.socket.getsockname()[:2]
        server.url = f"{'ws' if tls is None else 'wss'}://{host}:{port}/ws"
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
    assert server.errors == []


def table_with_a_turn(peer: Peer) -> None:
    """Greet, let the client create a room and give it something to decide."""
    peer.greet()
    peer.ok(peer.read(), room=ROOM, seat=0)
    peer.say(update(1, full=True, decisions=[decision()]))
