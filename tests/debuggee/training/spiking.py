"""A small training whose loss spikes at a planted step, and whose lines are set breakpoints on."""

import torch
from torch import nn

PLANTED = 60
STEPS = 80


def train():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        x = torch.randn(32, 8)
        y = x.sum(1, keepdim=True)
        if step == PLANTED:
            y = y * 100
        loss = ((model(x) - y) ** 2).mean()  # @bp:loss
        optimizer.zero_grad()  # @bp:zero
        loss.backward()  # @bp:backward
        optimizer.step()  # @bp:step
        w = model[0].weight  # @bp:weight
    return loss.item()  # @bp:end


if __name__ == "__main__":
    print("trained", train())
