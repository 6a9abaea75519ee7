"""Values of many kinds at two stops, for the probe inside plain debugpy."""

import time
import weakref

import torch
from torch import nn


class Slow:
    def __repr__(self):
        time.sleep(1)
        return "Slow(...)"


class Broken:
    def __repr__(self):
        raise SystemExit("from a repr")


def main():
    model = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    small = torch.arange(6.0).reshape(2, 3)
    large = torch.zeros(20_000_000)
    batch = {"x": small, "y": [torch.tensor([1.0, float("nan")])]}
    numbers = list(range(1000))
    many = [torch.full((1,), float(n)) for n in range(900)]
    slow, broken = Slow(), Broken()
    plain = {"a": 1}
    print("ready")  # @bp:first
    gone = weakref.ref(large)
    del large
    print("deleted")  # @bp:second
    return gone, model, optimizer, small, batch, numbers, many, slow, broken, plain


main()
