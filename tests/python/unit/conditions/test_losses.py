"""Spikes and plateaus of losses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from unit.conditions.trainings import blobs, mlp
from unit.conditions.watching import Watch, titles

STEPS, SPIKE = 90, 70


def run(
    change: Callable[[int, torch.Tensor, torch.optim.Optimizer], torch.Tensor], lr: float = 0.05
) -> Callable[[], None]:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 32, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for step in range(STEPS):
            chosen = torch.randint(0, 256, (32,))
            loss = F.cross_entropy(model(change(step, x[chosen], optimizer)), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return train


def bad_shard(step: int, x: torch.Tensor, _: torch.optim.Optimizer) -> torch.Tensor:
    return x.flip(1) * 5 if step == SPIKE else x


def other_data(step: int, x: torch.Tensor, _: torch.optim.Optimizer) -> torch.Tensor:
    return -x if step >= SPIKE else x


def rate_too_high(step: int, x: torch.Tensor, optimizer: torch.optim.Optimizer) -> torch.Tensor:
    if step == SPIKE - 1:
        optimizer.param_groups[0]["lr"] = 500.0
    return x


@pytest.mark.parametrize("change", [bad_shard, other_data, rate_too_high])
def test_a_spike(change: Callable[..., torch.Tensor], watch: Watch) -> None:
    found = watch(run(change), "loss-spike")
    assert titles(found)[:1] == ["Loss spike"]
    first = found[0]
    assert first["step"] in (SPIKE, SPIKE + 1)
    assert first["lineText"].strip() == "loss.backward()"
    value, threshold = first["value"], first["threshold"]
    assert isinstance(value, float)
    assert isinstance(threshold, float)
    assert value > threshold
    assert first["history"][-1] == value


def test_the_settings_are_heeded(watch: Watch) -> None:
    assert watch(run(bad_shard), "loss-spike", "factor=1000") == []
    assert watch(run(bad_shard), "loss-spike", "warmup=80") == []


def stuck(noise: float) -> Callable[[], None]:
    def train() -> None:
        weight = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=1e-3)
        for _ in range(200):
            loss = 2.0 + noise * torch.randn(()) + 0 * weight.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return train


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
def test_a_plateau(noise: float, watch: Watch) -> None:
    found = watch(stuck(noise), "loss-plateau", "window=100")
    assert set(titles(found)) == {"Loss not decreasing"}


def test_a_loss_that_falls_is_no_plateau(watch: Watch) -> None:
    assert watch(run(lambda step, x, optimizer: x), "loss-plateau", "window=60") == []
