"""Weights that do not change, units that do not fire, steps that are left out, memory that is not there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.trainings import blobs, fit, mlp
from unit.conditions.watching import Watch, titles


def in_bfloat16(optimizer: Callable[..., torch.optim.Optimizer], lr: float) -> Callable[[], None]:
    def train() -> None:
        model = nn.Linear(32, 4, bias=False)
        nn.init.ones_(model.weight)
        model = model.to(torch.bfloat16)
        x, y = torch.randn(64, 32).bfloat16(), torch.zeros(64, 4).bfloat16()
        fit(optimizer(model.parameters(), lr=lr), lambda: F.mse_loss(model(x), y), 20)

    return train


@pytest.mark.parametrize(
    "training",
    [
        in_bfloat16(torch.optim.Adam, 1e-4),
        in_bfloat16(torch.optim.SGD, 1e-5),
        in_bfloat16(torch.optim.AdamW, 1e-3),
    ],
    ids=["adam", "sgd", "adamw"],
)
def test_updates_that_are_lost_in_rounding(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "weights-frozen")
    assert titles(found) == ["Weights not changing"]
    message = found[0]["message"]
    assert "`weight` (bfloat16)" in message
    assert "0 of 128 elements" in message
    assert "float32 master weights" in found[0]["next"][0]


def cleared_too_late(set_to_none: bool) -> Callable[[], None]:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 16, 4)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(20):
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.zero_grad(set_to_none=set_to_none)
            optimizer.step()

    return train


def without_rate() -> None:
    x, y = blobs()
    model = mlp(10, 16, 4)
    fit(torch.optim.SGD(model.parameters(), lr=0.0), lambda: F.cross_entropy(model(x), y), 20)


def scheduled(factor: Callable[[int], float]) -> Callable[[], None]:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 16, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
        for _ in range(40):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()

    return train


def below_float32() -> None:
    x, y = blobs()
    model = mlp(10, 16, 4)
    fit(torch.optim.SGD(model.parameters(), lr=1e-12), lambda: F.cross_entropy(model(x), y), 20)


@pytest.mark.parametrize(
    ("training", "title"),
    [
        (cleared_too_late(True), "No gradient at the step"),
        (cleared_too_late(False), "All gradients are zero"),
        (without_rate, "Weights not changing"),
        (scheduled(lambda step: max(0.0, 1 - step / 10)), "Weights not changing"),
        (scheduled(lambda step: step // 100), "Weights not changing"),
        (below_float32, "Weights not changing"),
    ],
    ids=["none", "zeros", "no rate", "schedule that ended", "schedule that never began", "float32"],
)
def test_other_reasons_for_a_standstill(training: Callable[[], None], title: str, watch: Watch) -> None:
    assert titles(watch(training, "weights-frozen")) == [title]


def test_a_step_that_is_never_called(watch: Watch) -> None:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 16, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(30):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()

    found = watch(train, "weights-frozen")
    assert titles(found) == ["step() is never called"]
    assert found[0]["lineText"].strip() == "F.cross_entropy(model(x), y).backward()"
    assert "`optimizer`" in found[0]["message"]


class Functional(nn.Module):
    def __init__(self, shift: float) -> None:
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(10, 32), nn.Dropout(0.1), nn.Linear(32, 4)
        nn.init.constant_(self.first.bias, shift)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.drop(torch.relu(self.first(x))))


def dead_channels() -> nn.Module:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 2), nn.Flatten(), nn.LazyLinear(4)
    )
    model(torch.zeros(1, 1, 6, 6))
    nn.init.constant_(model[0].bias, -100.0)
    return model


def shifted(model: nn.Sequential, bias: float) -> nn.Sequential:
    nn.init.constant_(model[0].bias, bias)
    return model


def classify(model: nn.Module, shape: tuple[int, ...] = (10,)) -> Callable[[], None]:
    def train() -> None:
        x, y = torch.randn(64, *shape), torch.randint(0, 4, (64,))
        fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: F.cross_entropy(model(x), y), 30)

    return train


@pytest.mark.parametrize(
    ("training", "module"),
    [
        (classify(shifted(mlp(10, 32, 4), -50)), "2"),
        (classify(Functional(-50)), "last"),
        (classify(dead_channels(), (1, 6, 6)), "3"),
        (classify(nn.Sequential(shifted(mlp(10, 4), -50), nn.ReLU())), ""),
    ],
    ids=["module", "function", "channels", "the end"],
)
def test_units_that_never_fire(training: Callable[[], None], module: str, watch: Watch) -> None:
    found = watch(training, "dead-activation")
    assert titles(found) == ["Dead ReLU"]
    assert found[0]["module"] == module


@pytest.mark.parametrize("activation", [nn.Tanh, nn.Sigmoid])
@pytest.mark.parametrize("scale", [1e3, 1e5])
def test_activations_in_their_flat_ends(activation: type[nn.Module], scale: float, watch: Watch) -> None:
    model = mlp(10, 32, 4, activation=activation)

    def train() -> None:
        x, y = torch.randn(64, 10) * scale, torch.randint(0, 4, (64,))
        fit(torch.optim.SGD(model.parameters(), lr=1e-3), lambda: F.cross_entropy(model(x), y), 20)

    found = watch(train, "dead-activation")
    assert titles(found) == ["Saturated activation"]
    assert "`1`" in found[0]["message"]


@pytest.mark.parametrize(
    "model", [mlp(10, 32, 4), Functional(0.0), mlp(10, 32, 4, activation=nn.Tanh), nn.Linear(10, 4)]
)
def test_units_that_fire(model: nn.Module, watch: Watch) -> None:
    assert watch(classify(model), "dead-activation") == []


def overflowing(from_step: int) -> Callable[[], None]:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 16, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for step in range(40):
            loss = F.cross_entropy(model(x), y) * (float("inf") if step >= from_step else 1.0)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    return train


@pytest.mark.parametrize("from_step", [0, 25, 30])
def test_steps_that_a_scaler_leaves_out(from_step: int, watch: Watch) -> None:
    found = watch(overflowing(from_step), "step-skipped", "cooldown=1000")
    assert titles(found) == ["Optimizer step skipped"]
    assert "0.weight.grad" in found[0]["message"]
    assert found[0]["lineText"].strip() == "scaler.step(optimizer)"


def too_many_rows() -> None:
    weights = torch.ones(300, 300)
    assert weights.sum() > 0
    torch.empty(10**15)


def too_wide_a_broadcast() -> None:
    left = torch.ones(10**7)
    (left[:, None] - left[None, :]).sum()


def no_memory_of_python() -> None:
    table = torch.ones(50, 50)
    assert table.sum() > 0
    raise MemoryError("no room")


@pytest.mark.parametrize(
    ("training", "name", "line"),
    [
        (too_many_rows, "weights", "torch.empty(10**15)"),
        (too_wide_a_broadcast, "left", "(left[:, None] - left[None, :]).sum()"),
        (no_memory_of_python, "table", 'raise MemoryError("no room")'),
    ],
)
def test_memory_that_is_not_there(training: Callable[[], None], name: str, line: str, watch: Watch) -> None:
    found = watch(training, "out-of-memory")
    assert titles(found) == ["Out of memory"]
    assert f"`{name}`" in found[0]["message"]
    assert found[0]["evidence"][0].split()[2] == name
    assert found[0]["lineText"].strip() == line


def test_another_exception_is_not_about_memory(watch: Watch) -> None:
    def train() -> None:
        torch.ones(2) @ torch.ones(3)

    assert watch(train, "out-of-memory") == []
