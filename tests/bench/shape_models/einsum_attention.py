"""Patterns of einops, a generator that is unpacked, a slice that is changed in place, a dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn


@dataclass
class Attended:
    scores: Tensor
    weights: Tensor


class Attention(nn.Module):
    def __init__(self, width: int = 16, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Attended:
        b, t, d = x.shape
        parts = self.project(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (rearrange(part, "b t (h e) -> b h t e", h=self.heads) for part in parts)
        weights = (q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5).softmax(-1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        y = self.out(rearrange(y, "b h t e -> b t (h e)"))
        x = x + y
        x[:, 0] *= 2
        firsts = [x[:, position] for position in range(min(t, 3))]
        scores = torch.einsum("btd,bd->bt", x, firsts[0])
        return Attended(scores=scores.view(b, t), weights=weights)


def example(batch: int) -> tuple[Attention, tuple[Tensor]]:
    return Attention(), (torch.randn(batch, 7, 16),)
