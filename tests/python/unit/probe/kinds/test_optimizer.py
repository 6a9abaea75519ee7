from __future__ import annotations

import pytest
import torch
from torch import nn

from tensorpeek.probe.kinds import optimizer as optimizer_module


@pytest.fixture
def layer():
    return nn.Linear(10, 4)


def step(optimizer, layer):
    layer(torch.ones(2, 10)).sum().backward()
    optimizer.step()


def test_says_rate_parameters_step_and_state(say, layer):
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)
    assert say(optimizer) == "Adam lr 0.001 44 params"
    step(optimizer, layer)
    step(optimizer, layer)
    assert say(optimizer) == "Adam lr 0.001 step 2 44 params state 360 B"


def test_says_every_different_rate(say, layer):
    groups = [{"params": [layer.weight]}, {"params": [layer.bias], "lr": torch.tensor(0.5)}]
    assert say(torch.optim.SGD(groups, lr=0.1)) == "SGD lr 0.1, 0.5 44 params"


def test_rows_yield_what_they_show(children, reached, layer):
    optimizer = torch.optim.Adam(layer.parameters())
    step(optimizer, layer)
    rows = children(optimizer)
    assert reached(rows["group 0"], optimizer) is optimizer.param_groups[0]
    for row in children(rows["state"].value).values():
        assert reached(row, optimizer) is row.value


def test_schedulers_say_rate_and_epoch(say, layer):
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    scheduler.step()
    assert say(scheduler) == "StepLR lr 0.01 epoch 1"
    assert say(torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)).startswith("ReduceLROnPlateau")


def test_grad_scalers_say_their_scale(say):
    assert say(torch.amp.GradScaler("cpu")) == "GradScaler scale 65536 (not used yet)"
    assert say(torch.amp.GradScaler("cpu", enabled=False)) == "GradScaler off"
    used = torch.amp.GradScaler("cpu", init_scale=1024.0)
    used.scale(torch.ones(1))
    assert say(used) == "GradScaler scale 1024 0 of 2000 steps without overflow"


def test_every_parameter_and_state_is_counted(say):
    parameters = [nn.Parameter(torch.zeros(10)) for _ in range(3000)]
    optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    assert say(optimizer) == "SGD lr 0.1 30k params"
    sum(parameter.sum() for parameter in parameters).backward()
    optimizer.step()
    assert say(optimizer) == "SGD lr 0.1 30k params state 120 KB"


def test_what_is_not_counted_is_not_left_unsaid(say, monkeypatch):
    monkeypatch.setattr(optimizer_module, "MOST_TENSORS", 2)
    parameters = [nn.Parameter(torch.zeros(10)) for _ in range(3)]
    assert say(torch.optim.SGD(parameters, lr=0.1)) == "SGD lr 0.1 ≥20 params"


def test_parameters_without_a_size_yet(say):
    parameters = list(nn.LazyLinear(3).parameters())
    assert say(torch.optim.SGD([*parameters, nn.Parameter(torch.zeros(4))], lr=0.1)).endswith(" 4 params")
