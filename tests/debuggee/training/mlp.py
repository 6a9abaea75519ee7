"""A small perceptron, with the hooks of a user who logs everything."""

from __future__ import annotations

import torch
from torch import nn
from witness import Witness

witness = Witness(seed=1)
inputs = torch.randn(64, 10)
targets = (inputs.sum(1) > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
snapshot = torch._lazy_clone(model[0].weight.detach())
unused = torch._lazy_clone(inputs)
model[0].register_forward_hook(lambda *_: witness.log.update(["forward hook"]))
model[2].weight.register_hook(lambda _: witness.log.update(["gradient hook"]))


def pack(tensor: torch.Tensor) -> torch.Tensor:
    witness.log["packed"] += 1
    return tensor


def unpack(tensor: torch.Tensor) -> torch.Tensor:
    witness.log["unpacked"] += 1
    return tensor


def train_step(step: int) -> float:
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        hidden = model[1](model[0](inputs))
        witness.must_die(hidden)
        logits = model[2](hidden)  # @bp:hooked
        loss = nn.functional.cross_entropy(logits, targets)
        loss.backward()  # @bp:backward
    optimizer.step()
    optimizer.zero_grad()  # @bp:step
    return loss.item()


for step in range(6):
    witness.loss(train_step(step))

witness.weights(model)
witness.watch(inputs=inputs, targets=targets, weight=model[2].weight, snapshot=snapshot, unused=unused)
witness.report()
