"""Each token goes to the two experts that a gate chooses, and their answers are added where it was."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Expert(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate, self.widen = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.narrow(F.silu(self.gate(x)) * self.widen(x))


class Mixture(nn.Module):
    def __init__(self, width: int = 8, experts: int = 3, chosen: int = 2) -> None:
        super().__init__()
        self.chosen = chosen
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        tokens = x.reshape(-1, x.shape[-1])
        chances = self.gate(tokens).softmax(dim=-1)
        weights, which = chances.topk(self.chosen, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, slots = torch.where(which == number)
            out[rows] += weights[rows, slots, None] * expert(tokens[rows])
        used = F.one_hot(which, len(self.experts)).float().mean(dim=(0, 1))
        balance = len(self.experts) * (used * chances.mean(dim=0)).sum()
        return out.view_as(x), balance


class Model(nn.Module):
    def __init__(self, width: int = 8, depth: int = 1) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Mixture(width) for _ in range(depth))
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(depth))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        penalty = x.new_zeros(())
        for layer, norm in zip(self.layers, self.norms, strict=True):
            mixed, balance = layer(norm(x))
            x = x + mixed
            penalty += balance
        return x, penalty


def example(batch: int) -> tuple[Model, tuple[Tensor]]:
    return Model(), (torch.randn(batch, 5, 8),)
