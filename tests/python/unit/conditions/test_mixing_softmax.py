"""A softmax of attention over the samples is told; softmaxes over other things than keys may be meant."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from unit.conditions.trainings import fit
from unit.conditions.watching import Watch


class Attention(nn.Module):
    def __init__(self, dimension: int, heads: int = 0) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 1)
        self.dimension, self.heads = dimension, heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        if self.heads:
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (q, k, v))
        scores = q @ k.transpose(-1, -2) / 3
        mixed = scores.softmax(self.dimension) @ v
        return self.out(mixed.transpose(1, 2).flatten(2) if self.heads else mixed)


class Mixture(nn.Module):
    """Weights of experts that are stacked in front, as many as there are samples."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(8, 6), nn.ModuleList(nn.Linear(8, 1) for _ in range(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = self.gate(x).movedim(-1, 0).softmax(0)
        return (torch.stack([expert(x) for expert in self.experts]).squeeze(-1) * weights).sum(0)


def train(model: nn.Module) -> None:
    fit(torch.optim.SGD(model.parameters(), 0.01), lambda: model(torch.randn(6, 5, 8)).pow(2).mean(), 3)


@pytest.mark.parametrize("heads", [0, 2])
def test_samples_that_compete_are_told(watch: Watch, heads: int) -> None:
    found = watch(lambda: train(Attention(0, heads)), "mixing-reshape")
    assert [finding["title"] for finding in found] == ["Softmax over the batch"]
    assert "softmax(self.dimension)" in found[0]["lineText"]


@pytest.mark.parametrize(
    "model",
    [Attention(-1), Attention(-1, 2), Attention(1), Mixture()],
    ids=["keys", "heads", "queries", "experts"],
)
def test_other_competitions_are_left_alone(watch: Watch, model: nn.Module) -> None:
    assert watch(lambda: train(model), "mixing-reshape") == []
