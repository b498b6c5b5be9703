"""What servers announce: told in full, and read without trust."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_protocol.announcement import MAX_ENTRY, Announcement, read_txt


def entries(announcement: Announcement) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in announcement.txt().items()}


@pytest.mark.parametrize("fingerprint", [None, "0a" * 32])
def test_what_is_announced_is_read(fingerprint: str | None) -> None:
    told = Announcement(
        "神楽殿", "0.1.0", ("odoriko", "enbu"), fingerprint is not None, fingerprint
    )
    assert read_txt(entries(told)) == told


def test_an_entry_is_as_long_as_a_record_holds() -> None:
    told = Announcement("舞" * 200, "1" * 300, tuple(f"game{i}" * 5 for i in range(40)))
    for key, value in told.txt().items():
        assert len(f"{key}={value}".encode()) <= MAX_ENTRY
    assert read_txt(entries(told)) is not None


def test_what_is_read_is_bounded_and_cleaned() -> None:
    read = read_txt(
        {
            b"name": b"\x1b]0;owned\x07\xe2\x80\xae" + b"x" * 5_000,
            b"protocol": b"kaguraden.v1",
            b"version": b"\x1b[2J" * 500,
            b"games": b"odoriko,\x1b[31m,ENBU," + b"a," * 5_000,
            b"tls": b"1",
            b"fp": b"f" * 63,
        }
    )
    assert read is not None
    assert read.name.startswith("]0;ownedxxx")
    assert len(read.name) <= 60
    assert read.version.isprintable()
    assert len(read.version) <= 32
    assert read.games[:2] == ("odoriko", "a")
    assert len(read.games) <= 16
    assert read.fingerprint is None


@pytest.mark.parametrize("path", [b"/ws?x", b"ws", b"/\x1b[2J", b"/w s", b"/" + b"a" * 64, b"/@h/"])
def test_a_path_that_is_more_than_a_path_is_nobodys(path: bytes) -> None:
    assert read_txt({b"protocol": b"kaguraden.v1", b"path": path}) is None


def test_another_protocol_is_nobodys() -> None:
    assert read_txt({b"protocol": b"kaguraden.v2"}) is None
    assert read_txt({}) is None


@given(
    st.dictionaries(
        st.sampled_from([b"name", b"version", b"games", b"tls", b"fp", b"path"]),
        st.none() | st.binary(max_size=300),
    )
)
def test_whatever_is_announced_can_be_shown(txt: dict[bytes, bytes | None]) -> None:
    read = read_txt({**txt, b"protocol": b"kaguraden.v1"})
    if read is not None:
        assert (read.name + read.version + read.path + "".join(read.games)).isprintable()
