"""A training of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorpeek.probe.training.training import Training

KINDS = ("batch", "module", "loss", "gradients", "update", "skip", "capsule")


class Seen:
    """A training that is watched, and its moments in order."""

    def __init__(self) -> None:
        self.training = Training()
        self.moments: list[tuple[str, Any]] = []
        self.findings: list[Any] = []
        self.training.add_listener(lambda finding, frame, values: self.findings.append(finding))

    def watch(self, *kinds: str) -> None:
        for kind in kinds or KINDS:
            self.training.on_moment(kind, lambda moment, kind=kind: self.moments.append((kind, moment)))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.moments]

    def of(self, kind: str) -> list[Any]:
        return [moment for each, moment in self.moments if each == kind]


@pytest.fixture
def seen() -> Iterator[Seen]:
    seen = Seen()
    seen.training.start()
    try:
        yield seen
        assert not seen.training.problems
    finally:
        seen.training.stop()
