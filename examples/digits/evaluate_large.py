"""Shows the network images of 10 by 10 pixels. Its last layer is made for 8 by 8.

Start debugging: it stops where the shapes do not fit, and says why.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import Digits
from model import PrototypeNet


def main() -> None:
    model = PrototypeNet().eval()
    images = F.pad(Digits(train=False).images[:64], (1, 1, 1, 1))
    with torch.no_grad():
        print(model(images).argmax(dim=1))


if __name__ == "__main__":
    main()
