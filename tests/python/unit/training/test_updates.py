"""What a step does to the weights, from samples of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tensorpeek.probe.training.models import Models
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.norms import gradient_norms, weight_norms
from tensorpeek.probe.training.parameters import learning_rate, trained, with_gradients
from tensorpeek.probe.training.tensors_in import tensors_in, tensors_of_call
from tensorpeek.probe.training.updates import MOST, keep_weights, sample, updates, whole_ratio


def step_of(model: nn.Module, optimizer: torch.optim.Optimizer) -> Step:
    models = Models()
    models.add_root(model)
    training: Any = SimpleNamespace(models=models)
    return Step(training, optimizer, None, 0)


def taken(model: nn.Module, lr: float) -> Step:
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    step = step_of(model, optimizer)
    keep_weights(step)
    optimizer.step()
    return step


@given(st.integers(1, 40), st.integers(1, 400), st.floats(0.001, 10))
@settings(max_examples=30, deadline=None)
def test_the_sampled_ratio_is_that_of_the_whole(rows: int, columns: int, lr: float) -> None:
    model = nn.Linear(columns, rows, bias=False).double()
    model.weight.grad = torch.randn_like(model.weight)
    before = model.weight.detach().clone()
    (update,) = updates(taken(model, lr))
    change = (model.weight - before).norm().item()
    size = max(before.norm().item(), model.weight.norm().item())
    assert update.name == "weight"
    assert update.ratio == pytest.approx(change / size, rel=0.1 if model.weight.numel() > MOST else 1e-6)
    assert update.moved == update.pulled == sample(model.weight).numel()


def test_what_has_no_gradient_is_not_pulled() -> None:
    model = nn.Linear(4, 3)
    model.weight.grad = torch.zeros(3, 4)
    model.weight.grad[0] = 1
    step = taken(model, 0.1)
    (update,) = updates(step)
    assert (update.pulled, update.moved) == (4, 4)
    assert whole_ratio(updates(step)) == update.ratio


def test_nothing_was_kept() -> None:
    model = nn.Linear(4, 3)
    assert updates(step_of(model, torch.optim.SGD(model.parameters(), lr=0.1))) == []
    assert whole_ratio([]) == 0


def test_names_and_norms() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Embedding(5, 2, sparse=True))
    loose = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([*model.parameters(), loose], lr=0.1)
    (model[0](torch.ones(1, 2)).sum() + model[1](torch.tensor([1])).sum() + (3 * loose).sum()).backward()
    step = step_of(model, optimizer)
    assert [each.name for each in trained(step)] == ["0.weight", "0.bias", "1.weight", "parameter 3"]
    assert [each.name for each in with_gradients(step)] == ["0.weight", "0.bias", "parameter 3"]
    assert gradient_norms(step)["parameter 3"] == pytest.approx(27**0.5)
    assert weight_norms(step)["parameter 3"] == pytest.approx(3**0.5)


def test_a_norm_that_float32_can_not_square() -> None:
    model = nn.Linear(2, 1, bias=False)
    model.weight.grad = torch.full((1, 2), 1e30)
    step = step_of(model, torch.optim.SGD(model.parameters(), lr=0.1))
    assert gradient_norms(step)["weight"] == pytest.approx(2**0.5 * 1e30)


def test_learning_rates() -> None:
    assert learning_rate({"lr": 0.1}) == 0.1
    assert learning_rate({"lr": torch.tensor(0.5)}) == 0.5
    assert learning_rate({}) is None
    assert learning_rate({"lr": torch.empty((), device="meta")}) is None


def test_tensors_in_arguments() -> None:
    a, b, c = torch.ones(1), torch.ones(2), torch.ones(3)
    assert [name for name, _ in tensors_in({"x": [a, "text"], "y": b})] == ["['x'][0]", "['y']"]
    assert [name for name, _ in tensors_of_call((a, (b,)), {"mask": c})] == ["args[0]", "args[1][0]", "mask"]
    assert next(tensors_in(a)) == ("", a)
