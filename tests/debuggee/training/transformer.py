"""A transformer encoder under CPU autocast in bfloat16, profiled for two of its steps."""

from __future__ import annotations

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from witness import Witness

witness = Witness(seed=3)
vocabulary, width = 20, 16
embedding = nn.Embedding(vocabulary, width)
encoder = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(width, nhead=2, dim_feedforward=32, dropout=0.1, batch_first=True),
    num_layers=2,
    enable_nested_tensor=False,
)
head = nn.Linear(width, vocabulary)
parameters = [*embedding.parameters(), *encoder.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=3e-3)
tokens = torch.randint(0, vocabulary, (8, 12))
padding = torch.zeros(8, 12, dtype=torch.bool)
padding[:, 10:] = True


def train_step() -> float:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        encoded = encoder(embedding(tokens), src_key_padding_mask=padding)
        witness.must_die(encoded)
        logits = head(encoded)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten())  # @bp:autocast
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()  # @bp:clipped
    optimizer.zero_grad()
    return loss.item() + 0.0 * norm.item()


for _ in range(3):
    witness.loss(train_step())

with profile(activities=[ProfilerActivity.CPU]) as profiler:
    for _ in range(2):
        witness.loss(train_step())
witness.log.update(event.name for event in profiler.events() if event.name.startswith("aten::"))

witness.weights(embedding, encoder, head)
witness.watch(tokens=tokens, padding=padding, weight=head.weight)
witness.report()
