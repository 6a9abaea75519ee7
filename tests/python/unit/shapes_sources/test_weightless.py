"""A model that is made for a trace has no memory, unless its constructor can't do without."""

from __future__ import annotations

import resource
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from tensorpeek.probe.shapes import weightless
from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import traced


class Rates(nn.Module):
    """As stochastic depth: asks a small tensor for its values."""

    def __init__(self) -> None:
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.1, 4)]
        self.layers = nn.Sequential(*[nn.Sequential(nn.Linear(128, 128), nn.Dropout(rate)) for rate in rates])
        self.places = nn.Parameter(torch.zeros(1, 64, 128))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x + self.places)


class Values(nn.Module):
    """Asks a large one."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(128, 128)
        self.scale = float(self.layer.weight.abs().max())


def _stack() -> nn.Module:
    return nn.Sequential(*[nn.Linear(8192, 8192) for _ in range(8)])


def test_two_gigabytes_of_parameters_take_no_memory() -> None:
    # Loads what torch loads for its first trace.
    traced(_target(nn.Linear(4, 4), 4))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    model = weightless.built(_stack)
    trace = traced(_target(model, 8192))

    assert sum(each.numel() * each.element_size() for each in model.parameters()) > 2 << 30
    assert trace["problem"] == ""
    assert trace["modules"][0]["parameterBytes"] > 2 << 30
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) << 10 < 200 << 20


def test_small_tensors_have_their_values_meanwhile() -> None:
    state = torch.get_rng_state()

    model = weightless.built(Rates)

    assert isinstance(model.layers[0][0].weight, FakeTensor)
    assert isinstance(model.places, nn.Parameter)
    assert [round(layer[1].p, 2) for layer in model.layers] == [0, 0.03, 0.07, 0.1]
    assert traced(_target(model, 64, 128))["problem"] == ""
    assert torch.equal(torch.get_rng_state(), state)


def test_a_constructor_that_asks_a_large_tensor_gets_one() -> None:
    model = weightless.built(Values)

    assert type(model.layer.weight) is nn.Parameter
    assert model.scale > 0


def _target(model: Any, *size: int) -> Target:
    return Target("", model, None, (torch.zeros(2, *size),), {})
