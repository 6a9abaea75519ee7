"""Trains a network that counts and prints its calls; shapes are traced while it is paused."""

import torch
from torch import nn


def scaled(x):
    return x * 2  # @bp:scaled


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(4 * 8 * 8, 10)

    def forward(self, images):
        self.calls += 1
        print("call", self.calls)
        rows = images.shape[0]
        maps = scaled(self.norm(self.conv(images)))
        flat = self.drop(maps.reshape(rows, -1))  # @bp:inside
        return self.fc(flat)


def train(steps):
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(steps):
        batch = {"images": torch.randn(6, 1, 8, 8), "labels": torch.arange(6)}
        logits = net(batch["images"])  # @bp:call
        loss = nn.functional.cross_entropy(logits, batch["labels"])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()  # @bp:behind
    return net, loss


net, loss = train(2)
print("done", float(loss), float(net.norm.running_mean.sum()), net.calls)
