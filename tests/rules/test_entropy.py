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
