"""Trains on images of 10 by 10 pixels a network whose last layer is made for 8 by 8.

Start debugging: it stops where the shapes do not fit, and says why.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import Digits
from model import PrototypeNet

BATCH = 64


def main() -> None:
    digits = Digits(train=True)
    model = PrototypeNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for start in range(0, len(digits), BATCH):
        images = F.pad(digits.images[start : start + BATCH], (1, 1, 1, 1))
        loss = F.cross_entropy(model(images), digits.labels[start : start + BATCH])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
