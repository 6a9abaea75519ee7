"""An autoencoder on digits that were saved in shards. One shard was saved unscaled: its loss is a spike.

Right-click the number of the line `loss.backward()`, choose Add Training Breakpoint, and start debugging.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from data import BRIGHTEST, Digits
from torch import Tensor, nn

SHARD = 32
UNSCALED_SHARD = 40
EPOCHS = 5


def shards() -> Iterator[Tensor]:
    """Images `[32, 64]` of each shard, in the order in which they were saved."""
    images = Digits(train=True).images.flatten(1)
    for number, shard in enumerate(images.split(SHARD)):
        yield shard * BRIGHTEST if number == UNSCALED_SHARD else shard


def train(model: nn.Module, optimizer: torch.optim.Optimizer) -> float:
    """One pass over the shards; returns the last loss."""
    loss = torch.zeros(())
    for images in shards():
        restored = model(images)
        loss = F.mse_loss(restored, images)
        optimizer.zero_grad()
        loss.backward()  # @bp:backward
        optimizer.step()
    return loss.item()


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 64))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(EPOCHS):
        print(f"epoch {epoch}: loss {train(model, optimizer):.4f}")


if __name__ == "__main__":
    main()
