"""Layers in a loop."""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Perceptron(nn.Module):
    def __init__(self, widths: tuple[int, ...] = (32, 24, 16, 10)) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))

    def forward(self, x: Tensor) -> Tensor:
        last = len(self.layers) - 1
        for index, layer in enumerate(self.layers):
            x = layer(x)
            if index < last:
                x = F.relu(x)
        return x


def example(batch: int) -> tuple[Perceptron, tuple[Tensor]]:
    return Perceptron(), (torch.randn(batch, 32),)
