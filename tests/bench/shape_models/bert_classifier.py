"""A model of transformers with a head on its hidden states."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel


class Classifier(nn.Module):
    def __init__(self, encoder: Any, classes: int = 3) -> None:
        super().__init__()
        self.encoder = encoder
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(encoder.config.hidden_size, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        encoded = self.encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        first = encoded.last_hidden_state[:, 0]
        layers = torch.stack([state[:, 0] for state in encoded.hidden_states], dim=1)
        features = self.drop(first + layers.mean(1))
        return self.head(features)


def example(batch: int) -> tuple[Classifier, tuple[Tensor, Tensor]]:
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    ids = torch.randint(0, 50, (batch, 9))
    return Classifier(BertModel(config)), (ids, torch.ones_like(ids))
