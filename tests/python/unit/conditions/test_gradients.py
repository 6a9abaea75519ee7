"""Gradients that explode or vanish, and steps that are too large or too small."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.trainings import blobs, fit, mlp
from unit.conditions.watching import Watch, titles


def one_bad_batch() -> None:
    model = mlp(4, 16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(60):
        x = torch.randn(32, 4) * (1000 if step == 45 else 1)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def long_recurrence() -> None:
    """A recurrent matrix whose largest eigenvalue is far above 1."""
    cell, head = nn.Linear(8, 8, bias=False), nn.Linear(8, 1)
    nn.init.orthogonal_(cell.weight, gain=2.0)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=1e-2)
    for _ in range(3):
        state = torch.randn(16, 8)
        for _ in range(40):
            state = cell(state)
        loss = head(state).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def without_clipping() -> None:
    """Weights that grow until the gradients are a thousand times what they were."""
    model = mlp(4, 16, 16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x = torch.randn(64, 4)
    for step in range(60):
        if step == 50:
            with torch.no_grad():
                model[2].weight.mul_(100)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.parametrize("training", [one_bad_batch, long_recurrence, without_clipping])
def test_exploding_gradients(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "exploding-gradient")
    assert titles(found)[:1] == ["Exploding gradient"]
    assert found[0]["step"] == {one_bad_batch: 45, long_recurrence: 0, without_clipping: 50}[training]
    assert found[0]["lineText"].strip() == "optimizer.step()"


def deep(activation: type[nn.Module], layers: int, start: Callable[[torch.Tensor], object] | None = None):
    def train() -> None:
        x, y = blobs()
        model = mlp(10, *[24] * layers, 4, activation=activation)
        for parameter in model.parameters():
            if start is not None and parameter.dim() == 2:
                start(parameter)
        fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 40)

    return train


@pytest.mark.parametrize(
    "training",
    [
        deep(nn.Sigmoid, 12),
        deep(nn.Tanh, 10, lambda weight: nn.init.normal_(weight, std=0.02)),
        deep(nn.ReLU, 24),
    ],
    ids=["sigmoid", "small tanh", "deep relu"],
)
def test_vanishing_gradients(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "vanishing-gradient")
    assert titles(found) == ["Vanishing gradient"]
    assert "`0.weight`" in found[0]["message"]


@pytest.mark.parametrize(
    "training",
    [deep(nn.Sigmoid, 3), deep(nn.Tanh, 10), deep(nn.ReLU, 10, nn.init.kaiming_normal_)],
    ids=["sigmoid", "tanh", "relu"],
)
def test_gradients_that_arrive(training: Callable[[], None], watch: Watch) -> None:
    assert watch(training, "vanishing-gradient,exploding-gradient") == []


def rate(optimizer: Callable[..., torch.optim.Optimizer], lr: float, steps: int = 60):
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 32, 32, 4)
        fit(optimizer(model.parameters(), lr=lr), lambda: F.cross_entropy(model(x), y), steps)

    return train


@pytest.mark.parametrize(
    "training",
    [rate(torch.optim.Adam, 10.0), rate(torch.optim.SGD, 300.0), rate(torch.optim.RMSprop, 3.0)],
    ids=["adam", "sgd", "rmsprop"],
)
def test_steps_that_are_too_large(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "update-size")
    assert titles(found) == ["Update too large"]
    assert found[0]["step"] < 15
    assert "learning rate" in found[0]["message"]


@pytest.mark.parametrize(
    "training",
    [rate(torch.optim.Adam, 5e-8), rate(torch.optim.SGD, 1e-6), rate(torch.optim.AdamW, 1e-7)],
    ids=["adam", "sgd", "adamw"],
)
def test_steps_that_are_too_small(training: Callable[[], None], watch: Watch) -> None:
    assert titles(watch(training, "update-size")) == ["Update too small"]


def test_a_learning_rate_that_fades_out_too_early(watch: Watch) -> None:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 32, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        for _ in range(80):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()

    found = watch(train, "update-size")
    assert titles(found) == ["Update too small"]
    assert "The loss is still" in found[0]["message"]


@pytest.mark.parametrize(
    "training",
    [rate(torch.optim.Adam, 0.03), rate(torch.optim.SGD, 0.5), rate(torch.optim.Adam, 1e-4)],
    ids=["adam", "sgd", "slow adam"],
)
def test_steps_of_an_ordinary_size(training: Callable[[], None], watch: Watch) -> None:
    assert watch(training, "update-size") == []
