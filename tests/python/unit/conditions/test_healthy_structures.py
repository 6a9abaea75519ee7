"""Nothing is said of programs that only look like a structural fault."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from unit.conditions.structures import STRUCTURES
from unit.conditions.watching import Watch

OURS = "unused,device,broadcast,zero_grad,eval,logits,init,graph,reshape"


@pytest.mark.parametrize("training", STRUCTURES, ids=lambda training: training.__name__)
def test_a_sound_structure_is_left_alone(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, OURS)
    assert [f"{finding['step']}: {finding['message']}" for finding in found] == []
