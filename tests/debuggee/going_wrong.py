"""A small training that goes wrong in the way that its argument names."""

import sys
import threading

import torch
from torch import nn


def loss_of(model, inputs, targets, step, way):
    outputs = model(inputs)
    if way == "nan" and step == 5:
        # The square root of a sum that is 0 has no finite derivative, though the loss is finite.
        return (outputs - targets).square().mean() + (outputs * 0).square().sum().sqrt()  # @bp:root
    if way == "shape" and step == 3:
        weights = inputs.new_ones(16)
        outputs = outputs @ weights  # @bp:shape
    if way == "memory" and step == 3:
        torch.empty(1 << 50)  # @bp:memory
    if way == "caught":
        try:
            raise LookupError("nothing is wrong")  # @bp:raise
        except LookupError:
            pass
    return (outputs - targets).square().mean()


def train(way, steps):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9 if way == "spike" else 0.01)
    for step in range(steps):
        inputs = torch.randn(16, 4)
        targets = inputs.sum(1, keepdim=True)
        if way == "spike" and step % 15 == 14:
            targets = targets * 100 ** (1 + step // 15)
        loss = loss_of(model, inputs, targets, step, way)
        optimizer.zero_grad()
        loss.backward()  # @bp:backward
        before = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer.step()  # @bp:step
        moved = any(not torch.equal(was, now) for was, now in zip(before, model.parameters()))
        if not moved:
            print("step", step, "changed nothing")
    print("finite" if all(torch.isfinite(p).all() for p in model.parameters()) else "poisoned")
    return model  # @bp:trained


if __name__ == "__main__":
    way, steps = sys.argv[1], int(sys.argv[2])
    if way.startswith("thread "):
        thread = threading.Thread(target=train, args=(way.split()[1], steps), name="trainer")
        thread.start()
        thread.join()
    else:
        train(way, steps)
    print("done")
