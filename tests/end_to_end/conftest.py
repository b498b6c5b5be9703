"""One server process for all tests of this folder in a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.end_to_end.house import House, open_house


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that asks nobody to slow down."""
    with open_house(tmp_path_factory.mktemp("house")) as opened:
        yield opened
