"""The root of a sum of squares has no gradient at 0, which one batch reaches."""

import torch

ZERO_BATCH = 30


def length(x):
    squared = x.square().sum(1)
    return torch.where(squared > 0, squared.sqrt(), torch.zeros_like(squared))  # @bp:sqrt


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 4, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number in range(200):
        x = torch.randn(8, 4)
        if number == ZERO_BATCH:
            x[5] = 0
        loss = (length(model(x)) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # @bp:step


main()
