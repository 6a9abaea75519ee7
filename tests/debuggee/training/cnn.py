"""Convolutions with batch normalization and dropout, under a function mode and in float16 halves."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from witness import Witness

witness = Witness(seed=2)


class CallLog(TorchFunctionMode):
    """Logs each torch call that it sees."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        witness.log["function mode"] += 1
        return func(*args, **(kwargs or {}))


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(8 * 6 * 6, 4)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        maps = torch.relu(self.norm(self.convolution(images)))
        witness.must_die(maps)
        return self.head(self.dropout(maps).flatten(1))  # @bp:forward


network = Network()
images = torch.randn(16, 3, 8, 8).to(memory_format=torch.channels_last)
halves = images.half()
labels = torch.randint(0, 4, (16,))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)


def train_step() -> float:
    with CallLog():
        logits = network(images)
        loss = nn.functional.cross_entropy(logits, labels)
        flipped = halves.flip(0)
        optimizer.zero_grad()  # @bp:mode
    loss.backward()
    optimizer.step()
    witness.log["half"] += int(flipped.float().abs().sum().item() > 0)
    return loss.item()


for _ in range(4):
    witness.loss(train_step())

network.eval()
with torch.inference_mode():
    prediction = network(images)  # also stops in forward, in evaluation mode
    witness.loss(prediction.sum().item())  # @bp:inference

witness.weights(network)
witness.watch(images=images, halves=halves, running_mean=network.norm.running_mean, prediction=prediction)
witness.report()
