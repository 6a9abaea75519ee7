"""Sessions through our adapter, closed and checked for leftovers: one of a test's own, or one of its file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import DebugSession, RepeatingSession, RepeatingSessions


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession() as session:
        yield session


@pytest.fixture(scope="module")
def repeating_sessions() -> Iterator[RepeatingSessions]:
    sessions = RepeatingSessions()
    yield sessions
    sessions.close()


@pytest.fixture
def repeating(
    repeating_sessions: RepeatingSessions, request: pytest.FixtureRequest
) -> Iterator[RepeatingSession]:
    """A process with torch that all tests of a file run their programs in, one after the other."""
    with repeating_sessions.lend(request) as session:
        yield session


@pytest.fixture
def repeating_plain(
    repeating_sessions: RepeatingSessions, request: pytest.FixtureRequest
) -> Iterator[RepeatingSession]:
    """The same without torch."""
    with repeating_sessions.lend(request, modules=()) as session:
        yield session
