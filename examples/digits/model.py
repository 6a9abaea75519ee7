"""A small convolutional network that compares an image with one learned prototype per digit."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

DIGITS = 10


# tensorpeek: example_input = torch.randn(64, 1, 8, 8)
class PrototypeNet(nn.Module):
    """Images `[batch, 1, 8, 8]` to logits `[batch, 10]`: scaled cosines to the prototypes."""

    def __init__(self, channels: int = 16, width: int = 32, scale: float = 12.0) -> None:
        super().__init__()
        self.scale = scale
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, 2 * channels, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Dropout(0.1),
        )
        self.fc = nn.Linear(2 * channels * 4 * 4, width)
        self.prototypes = nn.Parameter(torch.randn(width, DIGITS))

    def forward(self, images: Tensor) -> Tensor:
        maps = self.features(images)
        hidden = F.linear(maps.flatten(1), self.fc.weight, self.fc.bias)
        embedding = F.normalize(hidden, dim=1)
        prototypes = F.normalize(self.prototypes, dim=0)
        return self.scale * (embedding @ prototypes)  # @bp:forward
