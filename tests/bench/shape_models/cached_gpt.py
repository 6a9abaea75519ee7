"""A prompt, and then words one by one, with keys and values that grow in a cache."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Kept(NamedTuple):
    keys: Tensor
    values: Tensor


class CachedAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.both = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Kept | None) -> tuple[Tensor, Kept]:
        query = self.split(self.query(x))
        keys, values = map(self.split, self.both(x).chunk(2, dim=-1))
        if cache is not None:
            keys = torch.cat([cache.keys, keys], dim=2)
            values = torch.cat([cache.values, values], dim=2)
        y = F.scaled_dot_product_attention(query, keys, values, is_causal=cache is None)
        return self.out(y.transpose(1, 2).flatten(2)), Kept(keys, values)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attend = CachedAttention(width, heads)
        self.norm_in, self.norm_out = nn.LayerNorm(width), nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor, cache: Kept | None = None) -> tuple[Tensor, Kept]:
        attended, cache = self.attend(self.norm_in(x), cache)
        x = x + attended
        return x + self.narrow(F.gelu(self.widen(self.norm_out(x)))), cache


class Gpt(nn.Module):
    def __init__(self, words: int = 40, width: int = 12, depth: int = 1, longest: int = 32) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, 3) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def step(self, ids: Tensor, caches: list[Kept | None], past: int) -> tuple[Tensor, list[Kept | None]]:
        places = torch.arange(past, past + ids.size(1), device=ids.device)
        x = self.words(ids) + self.places(places)
        grown: list[Kept | None] = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block(x, cache)
            grown.append(cache)
        return self.norm(x) @ self.words.weight.T, grown

    def forward(self, prompt: Tensor, more: int = 2) -> Tensor:
        ids, past = prompt, 0
        caches: list[Kept | None] = [None] * len(self.blocks)
        said = [prompt]
        for _ in range(more):
            logits, caches = self.step(ids, caches, past)
            past += ids.size(1)
            ids = logits[:, -1:].argmax(dim=-1)
            said.append(ids)
        return torch.cat(said, dim=1)


def example(batch: int) -> tuple[Gpt, tuple[Tensor]]:
    return Gpt(), (torch.randint(0, 40, (batch, 5)),)
