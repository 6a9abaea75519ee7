"""In-place additions, a branch that may be absent, features of all stages."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def norm_conv(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.first = norm_conv(inputs, outputs, 3, stride)
        self.second = norm_conv(outputs, outputs, 3)
        self.shortcut = norm_conv(inputs, outputs, 1, stride) if stride > 1 else None

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.shortcut is None else self.shortcut(x)
        out = F.relu(self.first(x), inplace=True)
        out = self.second(out)
        out += shortcut
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, width: int = 4, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.Sequential(norm_conv(3, width, 3), nn.ReLU(inplace=True))
        self.early = nn.Sequential(Block(width, width), Block(width, width))
        self.middle = nn.Sequential(Block(width, 2 * width, 2), Block(2 * width, 2 * width))
        self.late = nn.Sequential(Block(2 * width, 4 * width, 2))
        self.classify = nn.Linear(4 * width, classes)

    def forward(self, image: Tensor) -> tuple[Tensor, list[Tensor]]:
        x = self.stem(image)
        features: list[Tensor] = []
        for stage in (self.early, self.middle, self.late):
            x = stage(x)
            features.append(x)
        pooled = x.mean(dim=(2, 3))
        return self.classify(pooled), features


def example(batch: int) -> tuple[ResNet, tuple[Tensor]]:
    return ResNet(), (torch.randn(batch, 3, 16, 16),)
