"""Patches, a token that is expanded over the batch, blocks with residual sums in place."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Heads(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        batch, tokens, width = x.shape
        split = self.project(x).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.mT * (width // self.heads) ** -0.5, dim=-1)
        joined = (weights @ v).transpose(1, 2).flatten(2)
        return self.join(joined), weights


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attend = Heads(width, heads)
        self.think = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        before, after = self.norms
        attended, _ = self.attend(before(x))
        x = x + attended
        x += self.think(after(x))
        return x


class VisionTransformer(nn.Module):
    def __init__(self, side: int = 16, patch: int = 4, width: int = 12, depth: int = 2) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(Block(width, 3) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, image: Tensor) -> Tensor:
        patches = self.patches(image).flatten(2).transpose(1, 2)
        token = self.token.expand(image.shape[0], -1, -1)
        x = torch.cat((token, patches), dim=1) + self.places
        x = self.norm(self.blocks(x))
        return self.head(x[:, 0])


def example(batch: int) -> tuple[VisionTransformer, tuple[Tensor]]:
    return VisionTransformer(), (torch.randn(batch, 3, 16, 16),)
