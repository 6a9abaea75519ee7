"""A condition goes on, whatever number the user has written."""

from __future__ import annotations

import pytest
from unit.conditions.trainings import adversarial, scaled, squashed_output
from unit.conditions.watching import Watch

from tensorpeek.catalogue.condition_info import ConditionInfo
from tensorpeek.catalogue.conditions import CONDITIONS


@pytest.mark.parametrize("value", ["0", "-1", "0.5", "1e9", "1e308"])
@pytest.mark.parametrize("info", [info for info in CONDITIONS if info.parameters], ids=lambda info: info.id)
def test_strange_settings(info: ConditionInfo, value: str, watch: Watch) -> None:
    settings = " ".join(f"{parameter.name}={value}" for parameter in info.parameters)
    watch(lambda: [training(8) for training in (adversarial, scaled, squashed_output)], info.id, settings)
