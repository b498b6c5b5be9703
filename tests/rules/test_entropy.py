"""The entropy stream does what its document says, by the document's own test vectors."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.refs import faces
from kaguraden_rules.yumeochi.options import parse_options
from kaguraden_rules.yumeochi.sets import BASE, SETS
from kaguraden_rules.yumeochi.setup import deal

DOCUMENT = Path(__file__).parents[2] / "rules" / "docs" / "entropy.md"


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    found = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert len(found) == 1
    read: dict[str, Any] = json.loads(found[0])
    return read


def hmac_sha_256(key: bytes, message: bytes) -> bytes:
    """HMAC from its definition in RFC 2104, so that the vectors do not only repeat the code."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).digest()


def test_numbers_are_those_of_the_document(vectors: dict[str, Any]) -> None:
    key = bytes.fromhex(vectors["key"])
    for vector in vectors["numbers"]:
        number = hmac_sha_256(key, vector["k"].to_bytes(8, "big"))
        assert number.hex() == vector["number"]
        place = Entropy(key, vector["k"])
        assert place.pick(2**256) == (int.from_bytes(number, "big"), Entropy(key, vector["k"] + 1))


def test_picks_are_those_of_the_document_and_take_one_number_each(vectors: dict[str, Any]) -> None:
    key = bytes.fromhex(vectors["key"])
    stream = Entropy(key)
    for taken, vector in enumerate(vectors["picks"]):
        number = int.from_bytes(hmac_sha_256(key, taken.to_bytes(8, "big")), "big")
        assert vector["pick"] == number * vector["n"] // 2**256
        pick, stream = stream.pick(vector["n"])
        assert (pick, stream.taken) == (vector["pick"], taken + 1)


def test_shuffles_are_those_of_the_document(vectors: dict[str, Any]) -> None:
    for vector in vectors["shuffles"]:
        stream = Entropy(bytes.fromhex(vectors["key"]))
        order, after = stream.shuffle(range(vector["length"]))
        assert list(order) == vector["order"]
        assert after == Entropy(stream.key, vector["taken"])


def test_nothing_can_be_picked_among_no_things() -> None:
    with pytest.raises(ValueError, match="among 0 things"):
        Entropy(bytes(32)).pick(0)


def test_a_deal_of_odoriko_is_that_of_the_document(vectors: dict[str, Any]) -> None:
    """OD-18, OD-19, OD-21, OD-26, OD-27."""
    game, expected = Odoriko(), vectors["odoriko"]
    options = game.parse_options({})
    decks = [game.check_deck(options, None)] * expected["seats"]
    state = game.setup(options, len(decks), decks, bytes.fromhex(vectors["key"])).state
    assert state.entropy.taken == expected["taken"]
    assert list(state.removed) == expected["removed"]
    for seat, owner in enumerate(state.seats):
        assert list(faces(owner.hand)) == expected["hands"][seat]
        assert list(owner.resource_deck) == expected["resource_decks"][seat]
        assert list(faces(owner.character_deck)) == expected["character_decks"][seat]


def test_deals_of_yumeochi_are_those_of_the_document(vectors: dict[str, Any]) -> None:
    """YU-11, YU-113, YU-114: also by the words of the document, step by step."""
    key = bytes.fromhex(vectors["key"])
    options = parse_options({"roles": ["dream_eater"]}, SETS)
    for vector in vectors["yumeochi"]:
        number = vector["game_no"]
        own = key if number == 1 else hmac_sha_256(key, f"yumeochi game {number}".encode())
        roles, stream = Entropy(own).shuffle([role.id for role in options.pool])
        skills, stream = stream.shuffle([skill.id for skill in BASE.skills])
        times, stream = stream.shuffle([time.id for time in BASE.times])
        holder, stream = stream.pick(4)
        assert (list(roles[:4]), list(roles[4:])) == (vector["roles"], vector["undealt"])
        assert (list(skills[:4]), sorted(skills[4:])) == (vector["skills"], vector["leftover"])
        assert (list(times), holder, stream.taken) == (
            vector["clock"], vector["first_holder"], vector["taken"]
        )  # fmt: skip
        table = deal(options, key, number)
        assert [seat.role for seat in table.seats] == vector["roles"]
        assert [held.card for seat in table.seats for held in seat.skills] == vector["skills"]
        assert [held.card for held in table.leftover] == vector["leftover"]
        assert [place.card for place in table.clock] == vector["clock"]
        assert (list(table.undealt), table.origin) == (vector["undealt"], vector["first_holder"])
