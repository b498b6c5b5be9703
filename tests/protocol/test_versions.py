"""Versions, limits, and that the package stands on its own."""

from __future__ import annotations

import attrs
from kaguraden_protocol.limits import Limits
from kaguraden_protocol.versions import PROTOCOL, SUBPROTOCOL, Capability, negotiate


def test_the_subprotocol_of_version_1_is_chosen_among_those_offered() -> None:
    assert SUBPROTOCOL == "kaguraden.v1"
    assert negotiate(["chat", "kaguraden.v1", "kaguraden.v9"]) == "kaguraden.v1"


def test_none_is_chosen_where_none_is_known() -> None:
    assert negotiate([]) is None
    assert negotiate(["kaguraden.v9", "KAGURADEN.V1"]) is None


def test_the_subprotocol_names_the_major_version() -> None:
    assert PROTOCOL.split(".")[0] == SUBPROTOCOL.removeprefix("kaguraden.v")


def test_patch_is_the_capability_of_1_0() -> None:
    assert [capability.value for capability in Capability] == ["patch"]


def test_the_limits_are_those_of_the_specification() -> None:
    assert attrs.astuple(Limits()) == (
        *(16_384, 262_144, 16, 40, 20, 3, 10_000, 5, 10_000),
        *(64, 8, 10_000, 8, 512, 10_000, 200, 256, 524_288, 5_000, 10_000, 30_000, 64, 100),
    )
