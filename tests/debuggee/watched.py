"""Changes a tensor in every way; each line that does so is marked."""

import torch
from torch import nn


def scale(tensor):
    note = "scaling"
    tensor.mul_(2)  # @bp:inside
    return note


def change(x):
    steps = 0  # @bp:begin
    y = x + 1
    y.mean()
    x.add_(1)  # @bp:in-place
    x[0] = 5.0  # @bp:item
    scale(x)
    x.view(-1)[1] = 3.0  # @bp:view
    torch.exp_(x)  # @bp:function
    x = x * 2  # @bp:rebound
    steps += 1  # @bp:number
    return x, steps  # @bp:return


def train():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(torch.ones(4, 2)).sum()  # @bp:loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # @bp:step
        print("step", step)  # @bp:after-step


change(torch.zeros(3))
change(torch.ones(3))
train()
print("done")
