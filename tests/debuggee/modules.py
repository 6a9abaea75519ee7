"""Trains a model with modules in modules; the word after its name is how many steps."""

import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, scale=1.0):
        return self.act(self.attn(x) * scale)  # @bp:block


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(3))
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, scale=2.0)  # @bp:layer
        return self.head(x)  # @bp:head


def train(steps):
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with torch.no_grad():
        net(torch.ones(2, 4))  # @bp:check
    for step in range(steps):
        optimizer.zero_grad()
        loss = net(torch.ones(2, 4) * (step + 1)).mean()  # @bp:forward
        loss.backward()  # @bp:backward
        optimizer.step()  # @bp:step
    return net


net = train(int(sys.argv[1]))
print("done", sum(float(p.detach().double().sum()) for p in net.parameters()))
