"""A network for images of another size than those that it is given."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, kernel_size=3)
        self.fc = nn.Linear(8 * 12 * 12, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        maps = F.relu(self.conv(images))
        pooled = F.max_pool2d(maps, 2)
        flat = pooled.flatten(1)
        return self.fc(flat)  # fails


net = Net()
images = torch.randn(16, 1, 28, 28)
targets = torch.randint(10, (16,))
loss = F.cross_entropy(net(images), targets)
loss.backward()
