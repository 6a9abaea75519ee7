"""Hooks that add up are seen at the end also where there was no time for a look in between."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tensorpeek.probe.conditions.growing_hooks import GrowingHooks
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.training import Training


def ignore(module: nn.Module, args: object, output: object) -> None:
    """What is registered again and again."""


@pytest.mark.parametrize(("each", "is_told"), [(1, True), (0, False)])
def test_two_first_looks_and_the_last_are_enough(each: int, is_told: bool) -> None:
    training, hooks, model = Training(), GrowingHooks(8), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    training.models.add_root(model)
    model.register_forward_hook(ignore)
    for number in range(30):
        for _ in range(each):
            model.register_forward_hook(ignore)
        if number < 2:
            assert hooks.look(Step(training, optimizer, None, number)) is None
    training.clock.step = 30
    report = hooks.last_look(training)
    assert (report is not None) is is_told
    if report is not None:
        assert report.value == 31
