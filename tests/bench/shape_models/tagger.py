"""Packed sequences, whose length the data decide, and a cell that is called for each word."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self, words: int = 50, width: int = 12, state: int = 8, tags: int = 5) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.read = nn.GRU(width, state, 2, batch_first=True, bidirectional=True)
        self.cell = nn.LSTMCell(2 * state, state)
        self.tag = nn.Linear(state, tags)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        x = self.embed(words)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed, last = self.read(packed)
        y, lengths = pad_packed_sequence(packed, batch_first=True, total_length=words.size(1))
        hidden = carried = x.new_zeros(x.size(0), self.cell.hidden_size) + last[0, :, :1] * 0
        tags: list[Tensor] = []
        for step in range(y.size(1)):
            hidden, carried = self.cell(y[:, step], (hidden, carried))
            tags.append(self.tag(hidden))
        return torch.stack(tags, dim=1)


def example(batch: int) -> tuple[Tagger, tuple[Tensor, Tensor]]:
    lengths = torch.tensor([4 - row % 3 for row in range(batch)])
    return Tagger(), (torch.randint(0, 50, (batch, 4)), lengths)
