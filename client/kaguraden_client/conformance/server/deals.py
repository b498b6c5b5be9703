"""Section 16: fair deals and replays."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from ..clause import Failed, Skipped
from ..texts import Json, canonical_hash, dump
from .kit import Kit, Record
from .registry import clause


def _fairness(record: Record) -> Json:
    """Return the event `fairness` of the first update.

    Raises:
        Failed: There is none.
    """
    for event in record.places[0].updates[0]["events"]:
        if event.get("kind") == "fairness":
            return dict(event)
    raise Failed("an event fairness", dump(record.places[0].updates[0]), "start")


async def _seeds(kit: Kit) -> list[tuple[Record, str]]:
    """Return the games that are over, with their seeds."""
    found = []
    for record in await kit.ended():
        outcome = record.places[0].view["outcome"]
        seed = (outcome.get("fairness") or {}).get("seed")
        if not isinstance(seed, str) or len(seed) != 64:
            raise Failed("outcome.fairness {seed}, 32 bytes in hex", dump(outcome), record.game)
        found.append((record, seed))
    return found


@clause(
    "fairness",
    16,
    ja="最初の update に、約束した commitment と全席の nonce を持つ fairness がある。",
    en="The first update has the event fairness with the commitment shown before and the nonces.",
)
async def _fairness_event(kit: Kit) -> None:
    for record in await kit.records():
        event = _fairness(record)
        if event.get("commitment") != record.info.get("commitment"):
            raise Failed(f"commitment {record.info.get('commitment')}", dump(event), record.game)


@clause(
    "nonces",
    16,
    ja="nonces は席の順で、送らなかった席は空文字列。",
    en='nonces has one entry a seat in their order, and "" for a seat that gave none.',
)
async def _nonces(kit: Kit) -> None:
    for record in await kit.records():
        event = _fairness(record)
        if event.get("nonces") != record.nonces:
            raise Failed(f"nonces {dump(record.nonces)}", dump(event), record.game)


@clause(
    "commitment-stays",
    16,
    ja="部屋の commitment は変わらない。",
    en="The commitment of a room does not change.",
)
async def _commitment_stays(kit: Kit) -> None:
    for record in await kit.records():
        for place in record.places:
            shown = {info.get("commitment") for info in place.infos}
            if shown != {record.info["commitment"]}:
                raise Failed(f"commitment {record.info['commitment']}", sorted(map(str, shown)))


@clause(
    "seed",
    16,
    ja="終局で明かされる seed の SHA-256 は commitment。",
    en="The seed shown at the end has the commitment as its SHA-256.",
)
async def _seed(kit: Kit) -> None:
    for record, seed in await _seeds(kit):
        digest = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
        if digest != record.info["commitment"]:
            raise Failed(f"a seed with {record.info['commitment']}", f"{seed} with {digest}")


@clause(
    "seed-hidden",
    15,
    ja="seed は終局まで、どのメッセージにも現れない。",
    en="The seed is in no message before the end.",
)
async def _seed_hidden(kit: Kit) -> None:
    for record, seed in await _seeds(kit):
        for guest in record.guests:
            for text in guest.frames:
                if '"outcome"' in text or '"/outcome"' in text:  # in a view, or in a patch
                    break
                if seed in text:
                    raise Failed("no seed before the outcome", text, record.game)


def _replay(record: Record) -> Json:
    replay: Any = record.replay.get("result", {}).get("replay")
    if record.replay.get("type") != "ok" or not isinstance(replay, dict):
        raise Failed("ok with replay", dump(record.replay), "replay")
    return dict(replay)


@clause(
    "replay",
    16,
    ja="終局後の replay には seed、nonces、commitment、options、inputs、outcome がある。",
    en="After the end replay has the seed, nonces, commitment, options, inputs and outcome.",
)
async def _replay_fields(kit: Kit) -> None:
    for record, seed in await _seeds(kit):
        replay = _replay(record)
        wanted = {"format": 1, "game": record.game, "seats": len(record.guests) - 1}
        wanted |= {"seed": seed, "nonces": record.nonces, "commitment": record.info["commitment"]}
        for name, value in wanted.items():
            if replay.get(name) != value:
                raise Failed(f"{name} {dump(value)}", dump(replay.get(name)), "replay")
        ranking = record.places[0].view["outcome"]["ranking"]
        if (replay.get("outcome") or {}).get("ranking") != ranking:
            raise Failed("the outcome", dump(replay.get("outcome")), "replay")
        answers = [line for line in replay.get("inputs", ()) if not line.startswith("expire ")]
        mine = [step for step in record.steps if step.reply["type"] == "ok"]
        if len(answers) < len(mine):
            raise Failed(f"{len(mine)} answers in inputs", len(answers), "replay")


@clause(
    "entropy",
    16,
    ja="entropy は、seed を鍵とする nonces の JSON の HMAC-SHA-256。",
    en="The entropy is the HMAC-SHA-256 of the nonces as JSON, under the seed.",
)
async def _entropy(kit: Kit) -> None:
    for record, seed in await _seeds(kit):
        text = json.dumps(record.nonces, separators=(",", ":")).encode()
        entropy = hmac.new(bytes.fromhex(seed), text, "sha256").hexdigest()
        if _replay(record).get("entropy") != entropy:
            raise Failed(f"entropy {entropy}", dump(_replay(record).get("entropy")), "replay")


@clause(
    "replay-sum",
    16,
    ja="replay の sum は、残りの正準 JSON の SHA-256（replay.md）。",
    en="sum of a replay is the SHA-256 of the rest as canonical JSON (replay.md).",
)
async def _replay_sum(kit: Kit) -> None:
    for record, _ in await _seeds(kit):
        replay = _replay(record)
        if "sum" not in replay:
            raise Skipped("sum がありません", "the record has no sum")
        told = replay.pop("sum")
        if told != canonical_hash(replay):
            raise Failed(f"sum {canonical_hash(replay)}", told, "replay")
