"""A session through our adapter, closed and checked for leftovers after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import DebugSession


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession() as session:
        yield session
