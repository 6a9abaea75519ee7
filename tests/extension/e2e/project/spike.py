"""Fits a line; one batch of it comes from another scale."""

import torch

BAD_BATCH = 60


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number in range(200):
        x = torch.randn(32, 4) * (1000 if number == BAD_BATCH else 1)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()  # @bp:backward
        optimizer.step()


main()
