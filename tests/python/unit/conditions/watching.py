"""Trainings under the eyes of real conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tensorpeek.catalogue.conditions import chosen
from tensorpeek.catalogue.settings import parse_settings
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.training.training import Training

Train = Callable[[], object]

NO_LIMIT = 1e9
"""Percent of the time that conditions may take: what is found must not depend on how busy the machine is."""


class Watch:
    """Runs trainings; what they raise is told to the conditions too."""

    def __init__(self) -> None:
        self.values: list[dict[str, Any]] = []
        """Of each finding of the last run."""

    def __call__(self, train: Train, words: str = "all", settings: str = "") -> list[Finding]:
        """What the conditions named by `words` say of it."""
        self.values = []
        found: list[Finding] = []

        def listen(finding: Finding, frame: object, values: dict[str, Any]) -> None:
            found.append(finding)
            self.values.append(values)

        torch.manual_seed(0)
        training = Training()
        training.add_listener(listen)
        training.configure({info.id: parse_settings(info, settings) for info in chosen(words)}, NO_LIMIT)
        training.start()
        try:
            train()
        except (RuntimeError, MemoryError) as error:
            training.failed(error)
        finally:
            training.ended()
            training.stop()
        assert not training.problems, training.problems
        return found


def titles(found: list[Finding]) -> list[str]:
    return [finding["title"] for finding in found]
