"""A denoiser: sines of a time, norms in groups, attention over pixels at the bottom."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def sines(times: Tensor, width: int) -> Tensor:
    half = width // 2
    rates = torch.exp(-math.log(10_000) * torch.arange(half, device=times.device) / half)
    angles = times[:, None].float() * rates[None]
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, times: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(2, inputs)
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.shift = nn.Linear(times, 2 * outputs)
        self.skip = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        y = self.conv(F.silu(self.norm(x)))
        scale, shift = self.shift(time)[:, :, None, None].chunk(2, dim=1)
        y = y * (1 + scale) + shift
        return self.skip(x) + y


class PixelAttention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(2, width)
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        n, c, h, w = x.shape
        pixels = self.norm(x).view(n, c, h * w).permute(0, 2, 1)
        attended, _ = self.attend(pixels, pixels, pixels, need_weights=False)
        return x + attended.permute(0, 2, 1).reshape(n, c, h, w)


class Denoiser(nn.Module):
    def __init__(self, width: int = 8, times: int = 12) -> None:
        super().__init__()
        self.times = times
        self.time = nn.Sequential(nn.Linear(times, times), nn.SiLU())
        self.begin = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleDict({"wide": Residual(width, width, times), "deep": Residual(width, 16, times)})
        self.middle, self.attention = Residual(16, 16, times), PixelAttention(16)
        self.up = nn.ModuleList([Residual(32, width, times), Residual(2 * width, width, times)])
        self.end = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, noisy: Tensor, times: Tensor) -> Tensor:
        time = self.time(sines(times, self.times))
        x = self.begin(noisy)
        skips: list[Tensor] = []
        for name, part in self.down.items():
            x = part(x, time)
            skips.append(x)
            x = F.avg_pool2d(x, 2) if name == "wide" else x
        x = self.attention(self.middle(x, time))
        for part, skip in zip(self.up, reversed(skips), strict=True):
            if x.shape[-1] != skip.shape[-1]:
                x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = part(torch.cat((x, skip), 1), time)
        return noisy - self.end(x)


def example(batch: int) -> tuple[Denoiser, tuple[Tensor, Tensor]]:
    return Denoiser(), (torch.randn(batch, 3, 8, 8), torch.randint(0, 100, (batch,)))
