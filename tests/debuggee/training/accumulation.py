"""Gradients accumulated over micro-batches, with a schedule, and a user who warns."""

from __future__ import annotations

import warnings

import torch
from torch import nn
from witness import Witness

witness = Witness(seed=7)
model = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Dropout(0.1), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
batch = {"x": torch.randn(32, 6), "y": torch.randn(32, 1), "ids": torch.arange(32)}
micro_batches = [
    {name: tensor[start : start + 8] for name, tensor in batch.items()} for start in range(0, 32, 8)
]


def accumulate(micro: dict[str, torch.Tensor]) -> float:
    predicted = model(micro["x"])
    witness.must_die(predicted)
    loss = nn.functional.mse_loss(predicted, micro["y"]) / len(micro_batches)
    loss.backward()
    warnings.warn("the learning rate is small", stacklevel=1)
    return loss.item()  # @bp:micro


def train_step() -> float:
    total = sum(accumulate(micro) for micro in micro_batches)
    optimizer.step()  # @bp:update
    optimizer.zero_grad(set_to_none=False)
    schedule.step()
    return total


for _ in range(3):
    witness.loss(train_step())

witness.weights(model)
witness.watch(x=batch["x"], micro=micro_batches[1]["x"], gradient=model[0].weight.grad)
witness.report()
