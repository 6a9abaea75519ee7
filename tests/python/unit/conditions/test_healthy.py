"""Nothing is said of trainings that are as they should be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from unit.conditions.trainings import HEALTHY
from unit.conditions.watching import Watch


@pytest.mark.parametrize("training", HEALTHY, ids=lambda training: training.__name__)
def test_a_healthy_training_is_left_alone(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "recommended")
    assert [f"{finding['step']}: {finding['message']}" for finding in found] == []
