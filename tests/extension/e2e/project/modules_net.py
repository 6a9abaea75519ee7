"""A network with blocks, a shared module and one that is never called: the view Model shows its tree."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden + self.mlp(self.norm(hidden))


class ModulesNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.blocks = nn.ModuleList(Block(64) for _ in range(3))
        self.again = self.blocks[0]
        self.unused = nn.Linear(64, 2)
        self.head = nn.Linear(64, 1000, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.words(tokens)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.again(hidden))


if __name__ == "__main__":
    model = ModulesNet()
    tokens = torch.zeros(8, 16, dtype=torch.long)
    model(tokens)  # @bp:call
