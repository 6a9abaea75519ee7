"""Augmented samples from a DataLoader with two worker processes."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from witness import Witness


class Noisy(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Ramps with noise drawn in the worker."""

    def __init__(self, size: int) -> None:
        self.clean = torch.linspace(0, 1, size * 4).reshape(size, 4)

    def __len__(self) -> int:
        return len(self.clean)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        clean = self.clean[index]
        sample = clean + 0.1 * torch.randn(4)
        return sample, clean.sum()  # @bp:sample


def main() -> None:
    witness = Witness(seed=8)
    dataset = Noisy(24)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=2, multiprocessing_context="fork")
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(2):
        for samples, sums in loader:
            loss = nn.functional.mse_loss(model(samples).squeeze(1), sums)
            loss.backward()  # @bp:batch
            optimizer.step()
            optimizer.zero_grad()
            witness.loss(loss.item())
    witness.weights(model)
    witness.watch(clean=dataset.clean, weight=model.weight)
    witness.report()


if __name__ == "__main__":
    main()
