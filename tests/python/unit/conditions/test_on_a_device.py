"""What conditions say where numbers come one step late, as from a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.test_gradients import deep, one_bad_batch, rate
from unit.conditions.test_standstill import classify, in_bfloat16, shifted
from unit.conditions.trainings import HEALTHY, blobs, fit, mlp
from unit.conditions.watching import Watch, titles

from tensorpeek.probe.training import device_values
from tensorpeek.probe.training.device_values import LateValues, Sent


class Arrived:
    def query(self) -> bool:
        return True


class SlowDevice:
    """Computes as the CPU does, and lets everyone wait."""

    def send(self, tensor: Any) -> Sent:
        return Sent(tensor.clone(), Arrived())


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_values, "AT_HAND", set())
    monkeypatch.setattr(device_values, "DEVICES", {"cpu": SlowDevice()})
    monkeypatch.setattr(device_values, "LATE", LateValues())


def nan_at(step_of_nan: int) -> Callable[[], None]:
    def train() -> None:
        x, y = blobs()
        model = mlp(10, 16, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(10):
            out = model(x)
            scale = torch.zeros(()) if step == step_of_nan else torch.ones(())
            loss = F.cross_entropy(out + (out * scale.requires_grad_()).pow(2).sum().sqrt() * 1e-3, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return train


def nan_in_batch() -> None:
    model = mlp(10, 16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(8):
        x, y = blobs()
        x[3, 3] = float("nan") if step == 5 else 0.0
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.parametrize(
    ("training", "condition", "title"),
    [
        (one_bad_batch, "exploding-gradient", "Exploding gradient"),
        (deep(nn.Sigmoid, 12), "vanishing-gradient", "Vanishing gradient"),
        (rate(torch.optim.SGD, 1e-6), "update-size", "Update too small"),
        (in_bfloat16(torch.optim.Adam, 1e-4), "weights-frozen", "Weights not changing"),
        (classify(shifted(mlp(10, 32, 4), -50)), "dead-activation", "Dead ReLU"),
        (nan_at(5), "nan-gradient", "NaN in gradients"),
        (nan_in_batch, "nan-forward", "NaN in forward"),
        (nan_in_batch, "bad-input", "NaN in the batch"),
    ],
)
def test_it_is_said_one_step_late(
    training: Callable[[], None], condition: str, title: str, watch: Watch
) -> None:
    assert titles(watch(training, condition))[:1] == [title]


def test_the_message_does_not_promise_clean_weights(watch: Watch) -> None:
    (finding,) = watch(one_bad_batch, "exploding-gradient")
    assert finding["step"] == 46
    assert "one step late" in finding["message"]


@pytest.mark.parametrize("training", HEALTHY[:4], ids=lambda training: training.__name__)
def test_healthy_trainings_are_left_alone(training: Callable[[], None], watch: Watch) -> None:
    assert watch(training, "recommended") == []


def test_nothing_is_read_before_it_has_arrived(monkeypatch: pytest.MonkeyPatch, watch: Watch) -> None:
    monkeypatch.setattr(Arrived, "query", lambda self: False)
    model = mlp(4, 8, 1)
    x = torch.randn(8, 4)
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: model(x).mean(), 2)
    assert watch(one_bad_batch, "exploding-gradient") == []
