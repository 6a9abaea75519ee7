"""Three models of a few milliseconds a step, written as users write them, with their batches."""

import torch
from torch import nn
from torch.nn import functional as F


class Mlp(nn.Module):
    def __init__(self, width=512, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64 if not i else width, width) for i in range(depth))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(x + y)


class Cnn(nn.Module):
    def __init__(self, channels=16, depth=2):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(Residual(channels) for _ in range(depth)))
        self.head = nn.Linear(channels, 10)

    def forward(self, images):
        maps = self.blocks(F.relu(self.stem(images)))
        pooled = maps.mean(dim=(2, 3))
        return self.head(pooled)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(b, t, 3, self.heads, d // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5).softmax(dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(b, t, d)
        x = x + self.out(mixed)
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, dim=64, depth=2):
        super().__init__()
        self.tokens = nn.Embedding(100, dim)
        self.blocks = nn.ModuleList(Block(dim, 4) for _ in range(depth))
        self.head = nn.Linear(dim, 100)

    def forward(self, ids):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=1))


MODELS = {
    "an MLP": (Mlp, lambda: torch.randn(128, 64)),
    "a CNN": (Cnn, lambda: torch.randn(8, 3, 24, 24)),
    "a transformer": (Transformer, lambda: torch.randint(0, 100, (8, 32))),
    "a larger transformer": (lambda: Transformer(128, 4), lambda: torch.randint(0, 100, (8, 48))),
}
