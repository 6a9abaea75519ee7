"""Layers of many kinds with their sizes written out: what tests edit, after the pass was traced."""

import torch
import torch.nn.functional as F
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 24)
        self.second = nn.Linear(in_features=24, out_features=6)

    def forward(self, x):
        x = self.first(x)
        x = torch.relu(x)
        x = self.second(x)
        return x * 2


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.act = nn.GELU()
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.group = nn.GroupNorm(2, 4)
        self.head = nn.Linear(4 * 16 * 16, 5)

    def forward(self, x):
        x = self.act(self.norm(self.conv(x)))
        x = self.up(x)
        x = self.group(x)
        x = x.view(-1, 4 * 16 * 16)
        return self.head(x)


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32, 10))
        self.out = nn.Linear(10, 2)

    def forward(self, x):
        y = F.dropout(self.net(x), 0.1)
        return self.out(y)


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.norm = nn.LayerNorm(16)
        self.lstm = nn.LSTM(16, 20, batch_first=True)
        self.attention = nn.MultiheadAttention(20, 4, batch_first=True)
        self.signal = nn.Conv1d(20, 7, 3)

    def forward(self, tokens):
        x = self.norm(self.embedding(tokens))
        x, _ = self.lstm(x)
        x, _ = self.attention(x, x, x)
        return self.signal(x.transpose(1, 2))


class Named(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.narrow = nn.Linear(4 * width, width)
        self.last = nn.Linear(width, 3)

    def forward(self, x):
        return self.last(self.narrow(x))


class Views(nn.Module):
    def forward(self, x):
        b, t, d = x.shape
        heads = x.view(b, t, 4, 3)
        rows = heads.reshape(b * t, 12)
        pairs = rows.view(-1, 6)
        return pairs.sum()


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.same = nn.Linear(12, 12)

    def forward(self, x):
        return self.same(self.same(x))


class Everything(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp, self.images, self.chain = Mlp(), Images(), Chain()
        self.tokens, self.named, self.views, self.twice = Tokens(), Named(), Views(), Twice()

    def forward(self, rows, images, tokens, wide, series):
        self.tokens(tokens)
        return [
            self.mlp(rows),
            self.images(images),
            self.chain(rows),
            self.named(wide),
            self.views(series),
            self.twice(rows),
        ]


def call():
    torch.manual_seed(0)
    inputs = torch.randn(6, 12), torch.randn(6, 3, 8, 8), torch.randint(50, (6, 5))
    return Everything()(*inputs, torch.randn(6, 32), torch.randn(6, 5, 12))


if __name__ == "__main__":
    call()
