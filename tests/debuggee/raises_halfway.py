"""A model that raises in its second layer, traced by tests: what was seen until then is kept."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.out = nn.Linear(9, 3)

    def forward(self, ids):
        rows, length = ids.shape
        x = self.embedding(ids)
        if length > 2:
            x = x * rows
        halves = x.chunk(2, dim=-1)
        return self.out(torch.cat(halves, dim=-1))


if __name__ == "__main__":
    Net()(torch.zeros(4, 7, dtype=torch.long))
