"""The socket of `kaguraden admin`: one JSON object a line each way, for who may open the file.

A request is `{"do": "kick", "room": "KAGU-7Q2F", "who": "2"}`, its reply `{"ok": {…}}` or
`{"error": "nobody", "message": {"ja": …, "en": …}}`. Everything is bounded: the line, the time to
write it, the connections at a time. What cannot be read is told, and never more than that.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio
from kaguraden_protocol import jsontext
from kaguraden_rules.kernel import Text

from kaguraden_server.codes import normal_code

from .deeds import Refusal, carry_out

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

    from kaguraden_server.config import Config

    from .deeds import Keys

__all__ = ["answer", "default_socket", "listen_to_admin", "open_socket", "serve_admin"]

FILE: Final = "admin.sock"
MAX_REQUEST: Final = 8_192  # bytes
MAX_CONNECTIONS: Final = 16
IDLE_S: Final = 30.0
WRITE_S: Final = 10.0


def default_socket(config: Config) -> Path | None:
    """Return where a server with these settings listens for `kaguraden admin`, if it does."""
    runtime = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    for folder in (config.data.dir, runtime):
        if folder:
            return Path(folder) / FILE
    return None


def listen_to_admin(keys: Keys, nursery: trio.Nursery) -> None:
    """Let who runs the server speak to it, if there is a place for that.

    Raises:
        OSError: It cannot be listened at the place that the settings name.
    """
    config, log = keys.lobby.config, keys.lobby.log
    wanted = config.admin.socket
    path = Path(wanted) if wanted else default_socket(config)
    if path is None:
        return
    try:
        listener = open_socket(path)
    except OSError as error:
        if wanted:
            raise OSError(error.errno, f"{path}: {error.strerror or error}") from None
        log.warning("admin_not_listening", why=error.strerror or str(error))
        return
    nursery.start_soon(serve_admin, keys, path, listener)


def open_socket(path: Path) -> socket.socket:
    """Listen at a path that only this user may open; what a dead server left there is replaced.

    Raises:
        OSError: It cannot be made, a living server listens there, or something else is there.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(errno.EEXIST, "something that is no socket is there", str(path))
        if _is_alive(path):
            raise OSError(errno.EADDRINUSE, "another server listens there", str(path))
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # there is no moment at which others may open it
    try:
        listener.bind(str(path))
        listener.listen(MAX_CONNECTIONS)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener


def _is_alive(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        except BlockingIOError:  # so many wait to be let in
            return True
    return True


async def serve_admin(keys: Keys, path: Path, listener: socket.socket) -> None:
    """Do what is asked over a socket that listens, until cancelled; then it is gone."""
    busy = trio.CapacityLimiter(MAX_CONNECTIONS)
    with _removed_at_last(path):
        await trio.serve_listeners(
            partial(_attend, keys, busy),
            [trio.SocketListener(trio.socket.from_stdlib_socket(listener))],
        )


@contextmanager
def _removed_at_last(path: Path) -> Iterator[None]:
    own = path.lstat().st_ino
    try:
        yield
    finally:
        with suppress(OSError):
            if path.lstat().st_ino == own:  # and not that of a server that came after
                path.unlink()


async def _attend(keys: Keys, busy: trio.CapacityLimiter, stream: trio.SocketStream) -> None:
    async with stream:
        try:
            busy.acquire_nowait()
        except trio.WouldBlock:
            return
        try:
            await _answer_all(keys, stream)
        except trio.BrokenResourceError:
            pass  # it did not wait for the answer
        except Exception as error:
            keys.lobby.log.fault("admin_failed", error)
        finally:
            busy.release()


async def _answer_all(keys: Keys, stream: trio.SocketStream) -> None:
    buffer = b""
    while True:
        with trio.move_on_after(IDLE_S) as idle:
            while b"\n" not in buffer and len(buffer) <= MAX_REQUEST:
                part = await stream.receive_some(MAX_REQUEST)
                if not part:
                    return
                buffer += part
        if idle.cancelled_caught:
            return
        line, end, buffer = buffer.partition(b"\n")
        reply = await answer(keys, line)
        with trio.move_on_after(WRITE_S) as writing:
            await stream.send_all(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        if writing.cancelled_caught or not end or len(line) > MAX_REQUEST:
            return


async def answer(keys: Keys, line: bytes) -> dict[str, Json]:
    """Do what a line asks; return the reply."""
    try:
        do, fields = _parse(line)
        _log(keys, do, fields)
        return {"ok": await carry_out(keys, do, fields)}
    except Refusal as refusal:
        return _error(refusal.code, refusal.why)
    except Exception as error:
        reference = keys.lobby.log.fault("admin_failed", error)
        why = Text(f"サーバーの不具合(参照 {reference})", f"a fault (reference {reference})")
        return _error("internal", why)


def _parse(line: bytes) -> tuple[str, dict[str, Json]]:
    try:
        request = jsontext.read(line, MAX_REQUEST)
    except jsontext.BadJson as bad:
        raise Refusal("bad_request", Text(*[str(bad.problems[0].problem)] * 2)) from None
    do = request.pop("do", None) if isinstance(request, dict) else None
    if not isinstance(request, dict) or not isinstance(do, str):
        why = Text('{"do": …} が必要です', 'expected {"do": …}')
        raise Refusal("bad_request", why)
    return do, request


def _log(keys: Keys, do: str, fields: dict[str, Json]) -> None:
    """Note what somebody did; what was typed may be anything and is not told."""
    room = fields.get("room")
    code = normal_code(room) if isinstance(room, str) else ""
    log = keys.lobby.log
    if code in keys.lobby.rooms:
        log = log.bind(room=code)
    if do in {"kick", "close", "announce", "pause", "snapshot", "drain"}:
        log.info("admin", do=do)


def _error(code: str, why: Text) -> dict[str, Json]:
    return {"error": code, "message": {"ja": why.ja, "en": why.en}}
