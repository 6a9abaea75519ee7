"""Less common kinds of shapes that do not fit."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from unit.shape_errors.programs import Programs

says = Programs()


@says("whole numbers `labels` [8] first", "cross_entropy(logits, labels)")
def arguments_exchanged(sick: bool) -> object:
    logits, labels = torch.randn(8, 3), torch.zeros(8, dtype=torch.long)
    return F.cross_entropy(*(labels, logits) if sick else (logits, labels))  # fails


@says("logits [3] and a target [1]", "squeeze(1)")
def only_sample_squeezed(sick: bool) -> object:
    scores, labels = torch.randn(1, 3, 1, requires_grad=True), torch.zeros(1, dtype=torch.long)
    loss = F.cross_entropy(scores.squeeze() if sick else scores.squeeze(2), labels)  # fails
    return loss.backward()


class Attention(nn.Module):
    cache: torch.Tensor | None = None

    def forward(self, k: torch.Tensor) -> torch.Tensor:
        if self.cache is not None:
            k = torch.cat([self.cache, k], dim=1)  # fails
        self.cache = k
        return k


@says("`self.cache` is kept from an earlier call, with a batch of 2")
def cache_of_another_batch(sick: bool) -> object:
    attention = Attention()
    attention(torch.randn(2, 3, 8))
    return attention(torch.randn(1 if sick else 2, 1, 8))


@says("wants 4 parts", "gives 3: [4, 2], [4, 2], [4, 2]")
def fewer_parts(sick: bool) -> object:
    gates = torch.randn(4, 6 if sick else 8)
    i, f, g, o = gates.chunk(4, dim=1)  # fails
    return i, f, g, o


class Doubled(torch.autograd.Function):
    sick = False

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g.sum(1) * 2 if Doubled.sick else g * 2


@says("backward() of `Doubled` returns a gradient [4] for its input 0, which has shape [4, 3]")
def gradient_of_another_shape(sick: bool) -> object:
    Doubled.sick = sick
    x = torch.randn(4, 3, requires_grad=True)
    out: Any = Doubled.apply(x)
    return out.sum().backward()  # fails


@says("`outs[1]` is a single number", "squeeze(1) or squeeze(-1)")
def squeezed_to_a_number(sick: bool) -> object:
    outs = [torch.randn(size, 1).squeeze() for size in (4, 1 if sick else 2)]
    return torch.cat(outs)  # fails


@says("scores are [2, 4, 10, 10]", "mask[:, None, :, :]")
def mask_without_heads(sick: bool) -> object:
    q, mask = torch.randn(2, 4, 10, 8), torch.zeros(2, 10, 10)
    mask = mask if sick else mask[:, None]
    return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)  # fails


@says("`x[keep]` is [4, 6], but is assigned `rows` [4, 5]")
def rows_of_another_shape(sick: bool) -> object:
    x, keep = torch.zeros(4, 6), torch.ones(4, dtype=torch.bool)
    rows = torch.randn(4, 5 if sick else 6)
    x[keep] = rows  # fails
    return x


@says("4 classes, and a weight for 3")
def weight_for_each_class(sick: bool) -> object:
    logits, labels = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    criterion = nn.CrossEntropyLoss(weight=torch.ones(3 if sick else 4))
    return criterion(logits, labels)  # fails


@says("20 % 8 = 4", "`ones` keeps the size of the others", "drop_last=True for `loader`")
def labels_of_a_whole_batch(sick: bool) -> object:
    loader = DataLoader(TensorDataset(torch.rand(20, 1)), batch_size=8, drop_last=not sick)
    ones = torch.ones(8, 1)
    for (real,) in loader:
        F.binary_cross_entropy(real, ones)  # fails
    return None


@says("actions` [6] has 2 at [2]: 1 of 6 numbers is outside 0..1")
def action_that_is_not_there(sick: bool) -> object:
    logp, rows = torch.randn(6, 2), torch.arange(6)
    actions = torch.tensor([0, 1, 2 if sick else 1, 1, 0, 0])
    return logp[rows, actions]  # fails


@says("torch.compile can't trace", "[2, 392]", "the compiled code is called here")
def compiled(sick: bool) -> object:
    def forward(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x.flatten(1) @ weight  # fails

    call: Any = torch.compile(forward, backend="eager")
    try:
        return call(torch.randn(2, 8, 7, 7), torch.randn(512 if sick else 392, 4))
    finally:
        torch.compiler.reset()
        # By these, a training that is watched later in this process would seem to be compiled.
        torch._dynamo.utils.counters.clear()
