"""Faults of initialization and of the loss's graph are told at the line that made them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from unit.conditions.trainings import blobs, fit, mlp
from unit.conditions.watching import Watch


def divergence_of_probabilities() -> None:
    model, teacher = mlp(10, 16, 4), mlp(10, 16, 4)
    x, _ = blobs()
    target = teacher(x).softmax(1).detach()
    for_student = torch.optim.SGD(model.parameters(), 0.01)
    fit(for_student, lambda: F.kl_div(model(x).softmax(1), target, reduction="batchmean"), 3)


def constant_weights_and_biases() -> None:
    model = mlp(10, 16, 4)
    for part in model:
        if isinstance(part, nn.Linear):
            nn.init.constant_(part.weight, 0.05)
            nn.init.zeros_(part.bias)
    x, y = blobs()
    fit(torch.optim.SGD(model.parameters(), 0.01), lambda: F.cross_entropy(model(x), y), 8)


def loss_of_its_own() -> None:
    model = mlp(10, 16, 4)
    x, y = blobs()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(8):
        parts = [F.cross_entropy(model(x), y)]
        loss = torch.tensor([part.item() for part in parts], requires_grad=True).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Factors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.zeros(10, 2))
        self.up = nn.Parameter(torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.down @ self.up


def both_factors_zero() -> None:
    model = Factors()
    x, y = blobs()
    fit(torch.optim.SGD(model.parameters(), 0.01), lambda: F.cross_entropy(model(x), y), 14)


def rows_of_nothing() -> None:
    model = mlp(16, 8, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    data = TensorDataset(torch.zeros(80, 16), torch.randint(0, 2, (80,)))
    for x, y in DataLoader(data, 10):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.parametrize(
    ("train", "words", "line"),
    [
        (divergence_of_probabilities, "logits", "F.kl_div("),
        (constant_weights_and_biases, "init", "nn.init.constant_(part.weight"),
        (loss_of_its_own, "frozen", "loss = torch.tensor("),
        (rows_of_nothing, "input", "model(x)"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_fault_is_told_at_its_line(watch: Watch, train: Callable[[], None], words: str, line: str) -> None:
    found = watch(train, words)
    assert len(found) == 1
    assert line in found[0]["lineText"]


def test_factors_that_wait_for_each_other_are_named(watch: Watch) -> None:
    found = watch(both_factors_zero, "frozen")
    assert "`down` and `up` are zero themselves" in found[0]["message"]
    assert len(found[0]["related"]) == 2


def divergence_of_log_probabilities() -> None:
    model, teacher = mlp(10, 16, 4), mlp(10, 16, 4)
    x, _ = blobs()
    target = teacher(x).softmax(1).detach()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    fit(optimizer, lambda: F.kl_div(model(x).log_softmax(1), target, reduction="batchmean"), 3)


def one_training_after_another() -> None:
    """The second one's loss is far above that of the first, which has come to its end."""
    x, y = blobs()
    for scale in (1.0, 30.0):
        model = mlp(10, 16, 4)
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        for _ in range(60):
            loss = F.cross_entropy(model(x * scale), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def constants_beside_the_data() -> None:
    """A model that is asked for all positions at once, with nothing but ones."""
    model = mlp(16, 8, 2)
    fit(torch.optim.SGD(model.parameters(), 0.01), lambda: model(torch.ones(20, 16)).pow(2).mean(), 8)


@pytest.mark.parametrize(
    "train",
    [divergence_of_log_probabilities, one_training_after_another, constants_beside_the_data],
    ids=lambda train: train.__name__,
)
def test_what_looks_like_it_is_left_alone(watch: Watch, train: Callable[[], None]) -> None:
    assert watch(train, "logits,spike,input") == []
