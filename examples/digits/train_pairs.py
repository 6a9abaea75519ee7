"""Learns to tell whether two images show the same digit. Sooner or later a pair is one image twice.

Tick “NaN or Inf in gradients” in Breakpoints and start debugging: it stops before the weights become NaN.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import Digits
from torch import Tensor, nn

BATCH = 48
STEPS = 400
MARGIN = 2.0


class Encoder(nn.Module):
    """Images `[batch, 1, 8, 8]` to embeddings `[batch, 16]`."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, images: Tensor) -> Tensor:
        return self.layers(images)


def distance(a: Tensor, b: Tensor) -> Tensor:
    """Euclidean, row by row. No gradient at 0: the square root has none there."""
    squared = (a - b).square().sum(dim=1)
    return torch.where(squared > 0, squared.sqrt(), torch.zeros_like(squared))  # @bp:sqrt


def contrastive(apart: Tensor, same: Tensor) -> Tensor:
    """Pairs of one digit are drawn together, others pushed apart up to a margin."""
    return torch.where(same, apart.square(), F.relu(MARGIN - apart).square()).mean()


def main() -> None:
    torch.manual_seed(1)
    digits = Digits(train=True)
    model = Encoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        left, right = torch.randint(len(digits), (2, BATCH))
        apart = distance(model(digits.images[left]), model(digits.images[right]))
        loss = contrastive(apart, digits.labels[left] == digits.labels[right])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # @bp:step
        if step % 50 == 0:
            print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
