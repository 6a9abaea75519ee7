"""Skips that are popped from a list, slices with an ellipsis, a dict as the output."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def double_conv(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.ReLU(inplace=True),
    )


def cropped(image: Tensor, height: int, width: int) -> Tensor:
    top, left = (image.shape[-2] - height) // 2, (image.shape[-1] - width) // 2
    return image[..., top : top + height, left : left + width]


class UNet(nn.Module):
    def __init__(self, widths: tuple[int, ...] = (3, 4, 8, 12)) -> None:
        super().__init__()
        pairs = list(pairwise(widths))
        self.down = nn.ModuleList(double_conv(*pair) for pair in pairs)
        self.grow = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in reversed(pairs[1:]))
        self.up = nn.ModuleList(double_conv(2 * a, a) for a, _ in reversed(pairs[1:]))
        self.mask = nn.Conv2d(widths[1], 2, 1)

    def forward(self, x: Tensor) -> dict[str, Any]:
        *stages, bottom = self.down
        skips: list[Tensor] = []
        for stage in stages:
            x = stage(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = bottom(x)
        for grow, up in zip(self.grow, self.up, strict=True):
            x = grow(x)
            skip = cropped(skips.pop(), *x.shape[-2:])
            x = up(torch.cat([skip, x], dim=1))
        logits = self.mask(x)
        shares = logits.softmax(dim=1)
        areas = [share.sum() for share in shares.unbind(1)]
        return {"logits": logits, "shares": shares, "areas": areas}


def example(batch: int) -> tuple[UNet, tuple[Tensor]]:
    return UNet(), (torch.randn(batch, 3, 16, 16),)
