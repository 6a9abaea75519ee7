"""Tables of pairs by mistake in a function that has returned when backward is called."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from unit.conditions.trainings import fit
from unit.conditions.watching import Watch

ROWS = 12
Compute = Callable[[Tensor, Tensor], Tensor]


def training(compute: Compute, width: int = 1) -> Callable[[], object]:
    """`compute` makes the loss of the output and the targets, one number per row."""

    def train() -> object:
        x, model = torch.randn(ROWS, 5), nn.Linear(5, width)
        y = x.sum(1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        return fit(optimizer, lambda: compute(model(x), y), 4)

    return train


def squared(out: Tensor, y: Tensor) -> Tensor:
    return (out - y).pow(2).mean()  # sick


def log_cosh(out: Tensor, y: Tensor) -> Tensor:
    difference = y - out  # sick
    return torch.log(torch.cosh(difference)).mean()


def weighted(out: Tensor, y: Tensor) -> Tensor:
    return (out.sigmoid() * y.abs()).mean()  # sick


def relative(out: Tensor, y: Tensor) -> Tensor:
    return (out / (1 + y.abs())).abs().mean()  # sick


@pytest.mark.parametrize("compute", [squared, log_cosh, weighted, relative])
def test_the_line_is_told_once(compute: Compute, watch: Watch) -> None:
    found = watch(training(compute), "silent-broadcast")
    assert [finding["condition"] for finding in found] == ["silent-broadcast"]
    assert found[0]["lineText"].endswith("# sick")
    assert "[12, 1] and [12] broadcast each other to [12, 12]" in found[0]["message"]


def of_a_table(out: Tensor, y: Tensor) -> Tensor:
    """One number per row beside a row of numbers."""
    table = y[:, None] - y[None]
    return (out - table).pow(2).mean()


def of_a_row(out: Tensor, y: Tensor) -> Tensor:
    return (out * y[None]).pow(2).mean()


def distances(out: Tensor, y: Tensor) -> Tensor:
    squares = out.pow(2).sum(1, keepdim=True)
    distance = squares + out.pow(2).sum(1) - 2 * out @ out.T
    return (distance * (y[:, None] > y)).mean()


def ranking(out: Tensor, y: Tensor) -> Tensor:
    score = out[:, 0]
    return (torch.sigmoid(score[:, None] - score) * (y[:, None] > y)).mean()


def of_one_shape(out: Tensor, y: Tensor) -> Tensor:
    return (out - y[:, None]).pow(2).mean() + (out.squeeze(1) - y).abs().mean()


@pytest.mark.parametrize(
    ("compute", "width"),
    [(of_a_table, 1), (of_a_row, 1), (distances, 3), (ranking, 1), (of_one_shape, 1)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_meant_is_left_alone(compute: Compute, width: int, watch: Watch) -> None:
    found = watch(training(compute, width), "silent-broadcast,loss-input,mixing-reshape")
    assert [finding["message"] for finding in found] == []
