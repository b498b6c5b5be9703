"""Sections 10 and 11: lost connections, sync, patches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..clause import Failed, Skipped
from ..texts import canonical_hash, dump
from .guest import Guest, Place
from .kit import Kit, Party
from .registry import clause


@asynccontextmanager
async def _back(kit: Kit, guest: Guest, token: str | None = None) -> AsyncIterator[Guest]:
    """Come back as a guest, on a new connection."""
    async with kit.stranger(guest.name) as back:
        await kit.reopen(back, resume=token or guest.hello["token"])
        yield back


@clause(
    "resume",
    10,
    ja="resume で同じ user に戻り、rooms に部屋と席と last_seq がある。",
    en="hello with resume gives the place back: the same user, and rooms with seat and last_seq.",
)
async def _resume(kit: Kit) -> None:
    async with kit.table() as table:
        guest, place = table.guests[-1], table.place(len(table.guests) - 1)
        await guest.flush()
        await guest.line.cut()
        async with _back(kit, guest) as back:
            hello = back.hello
            if hello["resumed"] is not True or hello["user"] != guest.hello["user"]:
                raise back.failed("resumed: true and the same user", hello)
            rooms = [entry for entry in hello["rooms"] if entry["room"] == table.room]
            if not rooms or rooms[0]["seat"] != place.seat or rooms[0]["last_seq"] < place.seq:
                raise back.failed(f"seat {place.seat} and last_seq {place.seq}", hello["rooms"])


@clause(
    "resume-lobby",
    10,
    ja="始まっていない部屋の席も resume で戻る。",
    en="So it does in a room whose game has not begun, which can be synced too.",
)
async def _resume_lobby(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        guest = table.guests[-1]
        await guest.line.cut()
        async with _back(kit, guest) as back:
            if [entry["room"] for entry in back.hello["rooms"]] != [table.room]:
                raise back.failed(f"the room {table.room}", back.hello["rooms"])
            result = await back.ask("sync", room=table.room)
            if result.get("seq") != 0:
                raise back.failed("seq 0", result)


@clause(
    "unknown-token",
    10,
    ja="知らない token は誤りではなく、resumed: false の新しい user になる。",
    en="An unknown token is no error: resumed is false, and one is a new user.",
)
async def _unknown_token(kit: Kit) -> None:
    async with kit.stranger() as guest:
        await kit.reopen(guest, resume="no-such-token-0123456789abcdef")
        if guest.hello["resumed"] is not False or guest.hello["rooms"]:
            raise guest.failed("resumed: false and no rooms", guest.hello)


@clause(
    "new-token",
    10,
    ja="token は hello のたびに変わる。",
    en="The token changes with every hello.",
)
async def _new_token(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.line.cut()
        async with _back(kit, guest) as back:
            if back.hello["token"] == guest.hello["token"]:
                raise back.failed("another token", back.hello["token"])


@clause(
    "old-token",
    10,
    ja="一つ前の token は、返信が失われたときのために、しばらく使える。",
    en="The token before stays good for a while, in case the reply was lost.",
)
async def _old_token(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.line.cut()
        async with _back(kit, guest) as back:
            await back.line.cut()
            async with _back(kit, guest) as again:  # with the first token
                if not again.hello["resumed"]:
                    raise again.failed("resumed: true", again.hello)


@clause(
    "taken-over",
    10,
    ja="resume した接続が席を引き継ぎ、前の接続は 4004 で終わる。",
    en="Whoever resumes takes the place over: the other connection is closed with 4004.",
)
async def _taken_over(kit: Kit) -> None:
    async with kit.guest() as guest, _back(kit, guest):
        guest.sent = "hello with resume, on another connection"
        await guest.closed_with(4004)


@clause(
    "away",
    6,
    ja="接続を失った人は away になって席を保ち、戻れば away でなくなる。",
    en="Whoever lost the connection is away and keeps the seat, until coming back.",
)
async def _away(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        if len(table.guests) < 2:
            raise Skipped("席が一つしかありません", "the game has one seat")
        host, guest = table.guests[:2]
        await guest.line.cut()
        info = await host.wait_info(
            table.room, "seat 1 away", lambda i: i["seats"][1].get("away") is True
        )
        if info["seats"][1].get("user") != guest.hello["user"]:
            raise host.failed("the user in seat 1 still", info["seats"])
        async with _back(kit, guest):
            await host.wait_info(
                table.room, "seat 1 not away", lambda i: not i["seats"][1].get("away")
            )


@clause(
    "silent-before-sync",
    10,
    ja="戻った接続には、sync の前に update は来ない。",
    en="On a new connection no updates come before sync.",
)
async def _silent_before_sync(kit: Kit) -> None:
    async with kit.table() as table:
        guest = table.guests[-1]
        await guest.flush()
        await guest.line.cut()
        async with _back(kit, guest) as back:
            rest = [other for other in table.guests if other is not guest]
            others = Party(table.room, rest, table.rng)
            for _ in range(3 if rest else 0):
                await others.move()
            early = [push for push in await back.settle() if push["type"] == "update"]
            if early:
                raise back.failed("no update before sync", early[0])
            await back.ask("sync", room=table.room)
            if not back.place(table.room).updates:
                raise back.failed("an update before the ok to sync", back.frames[-1])


@clause(
    "sync-missed",
    10,
    ja="sync に seq を付けると、残っていればその後の update がちょうど届き、なければ full が一つ。",
    en="sync with seq brings exactly the updates after it if the server still has them, else one "
    "that is full; the ok comes after them.",
)
async def _sync_missed(kit: Kit) -> None:
    async with kit.table() as table:
        await table.until(
            lambda: any(place.seq >= 3 for place in table.places),
            "update が足りません",
            "there were too few updates",
        )
        place = max(table.places, key=lambda place: place.seq)
        guest = table.guests[table.places.index(place)]
        await guest.flush()
        for since in (place.seq, place.seq - 1, 1):
            known = {update["seq"]: update for update in place.updates}
            last, before = place.seq, len(place.updates)
            result = await guest.ask("sync", room=table.room, seq=since)
            got = place.updates[before:]
            # The game goes on by itself, so there may be more.
            if result.get("seq") != place.seq or place.seq < last:
                raise guest.failed(f"seq {place.seq} after the updates", result)
            numbers = [update["seq"] for update in got]
            is_full = len(got) == 1 and got[0]["full"] and numbers == [place.seq]
            kept = guest.limit("resume_updates", 64)
            if is_full and place.seq - since > kept:
                continue
            if numbers != list(range(since + 1, place.seq + 1)):
                raise guest.failed(f"updates {since + 1} to {place.seq}", numbers)
            for update in got:
                old = known.get(update["seq"])
                if update["full"] or (old and old["events"] != update["events"]):
                    raise guest.failed(f"the update as it was: {dump(old)}", update)


@clause(
    "sync-ring",
    10,
    ja="最近の resume_updates 個の update は残っていて、sync でそのまま届く。",
    en="The last resume_updates updates are kept and come as they were; beyond them one that is full "
    "may stand for all.",
)
async def _sync_ring(kit: Kit) -> None:
    tried = False
    for record in await kit.records():
        for since, updates, reply in record.synced:
            tried = True
            last = reply.get("result", {}).get("seq", 0)
            sent = f"sync with seq {since} where the last is {last}"
            numbers = [update["seq"] for update in updates]
            is_full = [update["full"] for update in updates] == [True]
            kept = record.guests[0].limit("resume_updates", 64)
            if is_full and numbers == [last] and last - since > kept:
                continue
            if numbers != list(range(since + 1, last + 1)) or any(u["full"] for u in updates):
                raise Failed(f"updates {since + 1} to {last}, none full", numbers, sent)
    if not tried:
        raise Skipped("update が足りません", "no game had enough updates")


@clause(
    "sync-full",
    10,
    ja="seq なしの sync には、full の update が一つ届く。",
    en="sync without seq always brings one full update, before the ok.",
)
async def _sync_full(kit: Kit) -> None:
    async with kit.table() as table:
        guest, place = table.guests[0], table.place(0)
        await guest.flush()
        before = len(place.updates)
        result = await guest.ask("sync", room=table.room)
        got = place.updates[before:]
        if len(got) != 1 or got[0]["full"] is not True or "view" not in got[0]:
            raise guest.failed("one update with full: true and a view", got or guest.frames[-1])
        if result.get("seq") != got[0]["seq"]:
            raise guest.failed(f"seq {got[0]['seq']}", result)


@clause(
    "full-is-the-same",
    8,
    ja="full の update の view は、それまでの update を重ねた view と同じ。",
    en="The view of a full update is that which the updates before it led to.",
)
async def _full_is_the_same(kit: Kit) -> None:
    for record in await kit.records():
        for n, (full, folded) in enumerate(zip(record.full, record.folded, strict=True)):
            if n != record.patched and record.is_over and full.get("view") != folded:
                raise Failed(dump(folded), dump(full), "sync without seq")


# --- patches -------------------------------------------------------------------------------------


@clause(
    "patch-asked",
    11,
    ja="patch を求めなかった人には view が届き、patch も hash も来ない。",
    en="Whoever did not name the capability gets views, and neither patch nor hash.",
)
async def _patch_asked(kit: Kit) -> None:
    for record in await kit.records():
        for n, update in record.updates:
            if n != record.patched and ("patch" in update or "hash" in update):
                raise Failed("no patch and no hash", dump(update), "hello without patch")


def _patched(kit: Kit, places: list[Place]) -> list[Place]:
    if not places:
        raise Skipped("このサーバーに patch はありません", "this server has no patches")
    return places


@clause(
    "patch",
    11,
    ja="patch を重ねた view は、full の update の view と同じ。",
    en="Patches, done on the last view, lead to the view of a full update.",
)
async def _patch(kit: Kit) -> None:
    records = [record for record in await kit.records() if record.patched is not None]
    _patched(kit, [record.places[-1] for record in records])
    for record in records:
        assert record.patched is not None  # noqa: S101 - just chosen so
        if not any("patch" in update for update in record.places[record.patched].updates):
            raise Failed("updates with patch", "none", "hello with the capability patch")
        full, folded = record.full[record.patched], record.folded[record.patched]
        if record.is_over and full.get("view") != folded:
            raise Failed(dump(full.get("view")), dump(folded), "patches, then sync without seq")


@clause(
    "patch-hash",
    11,
    ja="32 回に一度の hash は、view の正準 JSON の SHA-256。",
    en="Every 32nd update has hash, the SHA-256 of the view as canonical JSON.",
)
async def _patch_hash(kit: Kit) -> None:
    tried = False
    for record in await kit.records():
        if record.patched is None:
            continue
        place = record.places[record.patched]
        tried = tried or len(place.updates) > 2 * 32
        for update, view in zip(place.updates, place.views, strict=True):
            if "hash" in update:
                tried = True
                if update["hash"] != canonical_hash(view):
                    raise Failed(canonical_hash(view), update["hash"], f"seq {update['seq']}")
        if len(place.updates) > 2 * 32 and not any("hash" in u for u in place.updates):
            raise Failed("a hash", f"none in {len(place.updates)} updates")
    if not tried:
        raise Skipped("update が足りません", "no game had enough updates")
