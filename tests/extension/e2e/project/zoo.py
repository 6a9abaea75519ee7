"""Values of every kind that the tests look at."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        hidden = x @ self.fc.weight.T + self.fc.bias
        a = torch.arange(6.0).reshape(2, 3)
        b = torch.eye(3)
        product = a @ b
        return hidden, product  # @bp:forward


def main():
    torch.manual_seed(0)
    net = Net()
    batch = {"x": torch.arange(8.0).reshape(2, 4), "label": torch.tensor([0, 1])}
    broken = torch.zeros(5)
    broken[3] = float("nan")
    alias = broken[1:]
    big = torch.ones(400_000_000, dtype=torch.uint8)
    big[399_999_999] = 7
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    hidden, product = net(batch["x"])
    print("done", hidden.shape, product.shape)  # @bp:main
    return alias, big, optimizer


main()
