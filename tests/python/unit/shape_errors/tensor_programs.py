"""Tensors that are viewed, joined, indexed or compared with others that do not fit."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from unit.shape_errors.programs import Programs

says = Programs()


@says("`q` [5, 16] and `k` [7, 16]", "q @ k.T")
def matrix_not_transposed(sick: bool) -> object:
    q, k = torch.randn(5, 16), torch.randn(7, 16)
    k = k if sick else k.T
    return q @ k  # fails


@says("batches of [2, 4] and [2, 10] matrices", "v.transpose(1, 2)")
def heads_at_another_place(sick: bool) -> object:
    weights, v = torch.randn(2, 4, 10, 10), torch.randn(2, 10, 4, 8)
    v = v if sick else v.transpose(1, 2)
    return weights @ v  # fails


@says("`mask` [4, 6]", "mask[:, None, :]")
def mask_without_queries(sick: bool) -> object:
    scores, mask = torch.randn(4, 6, 6), torch.ones(4, 6, dtype=torch.bool)
    mask = mask if sick else mask[:, None]
    return scores.masked_fill(mask, -1e9)  # fails


@says("weight[:, None]")
def weight_of_each_sample(sick: bool) -> object:
    x, weight = torch.randn(8, 3), torch.rand(8)
    weight = weight if sick else weight[:, None]
    return x * weight  # fails


@says("stride of 2", "nn.Conv2d(8, 16, 1, stride=2)")
def shortcut_without_stride(sick: bool) -> object:
    x, conv = torch.randn(2, 8, 8, 8), nn.Conv2d(8, 16, 3, stride=2, padding=1)
    out = conv(x)
    x = x if sick else nn.Conv2d(8, 16, 1, stride=2)(x)
    return out + x  # fails


@says("`table` [1, 6, 4]", "dimension 1 is 9 and 6")
def sequence_longer_than_a_table(sick: bool) -> object:
    x, table = torch.randn(2, 9, 4), torch.zeros(1, 6 if sick else 9, 4)
    return x + table  # fails


@says("`skip` [2, 8, 9, 9]", "interpolate")
def odd_sizes_come_back_even(sick: bool) -> object:
    skip = torch.randn(2, 8, 9 if sick else 8, 9 if sick else 8)
    up = F.interpolate(F.max_pool2d(skip, 2), scale_factor=2)
    return torch.cat([up, skip], dim=1)  # fails


@says("differ in dimension 1 only", "dim=1")
def joined_along_the_wrong_dimension(sick: bool) -> object:
    a, b = torch.randn(4, 8), torch.randn(4, 3)
    return torch.cat([a, b], dim=0 if sick else 1)  # fails


class Texts(Dataset[torch.Tensor]):
    def __init__(self, sick: bool) -> None:
        self.sick = sick

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.arange(3 + (index if self.sick else 0))


@says("entry 0 is [3]", "pad_sequence")
def samples_of_different_lengths(sick: bool) -> object:
    loader = DataLoader(Texts(sick), batch_size=4)
    for ids in loader:  # fails
        assert ids.shape == (4, 3)
    return None


@says("40 % 16 = 8", "x.size(0) instead of 16", "drop_last=True for `loader`")
def last_batch_in_a_view(sick: bool) -> object:
    loader = DataLoader(TensorDataset(torch.randn(40, 2, 5)), batch_size=16, drop_last=not sick)
    for (x,) in loader:
        x.view(16, 10)  # fails
    return None


@says("`logits` [8, 12, 50]", "classes have to be in dimension 1", "logits.transpose(1, 2)")
def classes_in_the_last_dimension(sick: bool) -> object:
    logits, ids = torch.randn(8, 12, 50), torch.zeros(8, 12, dtype=torch.long)
    logits = logits if sick else logits.transpose(1, 2)
    return F.cross_entropy(logits, ids)  # fails


@says("1..5", "counted from 1", "labels - 1")
def labels_from_one(sick: bool) -> object:
    logits, labels = torch.randn(10, 5), torch.arange(10) % 5 + int(sick)
    return nn.CrossEntropyLoss()(logits, labels)  # fails


@says("255 looks like", "ignore_index=255")
def labels_of_void(sick: bool) -> object:
    logits, labels = torch.randn(4, 3, 2), torch.zeros(4, 2, dtype=torch.long)
    labels[0, 1] = 255
    return F.cross_entropy(logits, labels, ignore_index=-100 if sick else 255)  # fails


@says("`labels` [8, 1]", "labels.squeeze(1)")
def labels_of_two_dimensions(sick: bool) -> object:
    logits, labels = torch.randn(8, 3), torch.zeros(8, 1, dtype=torch.long)
    labels = labels if sick else labels.squeeze(1)
    return F.cross_entropy(logits, labels)  # fails


@says("32 rows and 8 labels", "4 rows per label")
def rows_merged_into_the_batch(sick: bool) -> object:
    logits, labels = torch.randn(8, 4, 3), torch.zeros(8, dtype=torch.long)
    logits = logits.view(-1, 3) if sick else logits[:, 0]
    return F.cross_entropy(logits, labels)  # fails


@says("`out` [8, 1] and `y` [8]", "out.squeeze(-1)")
def target_without_a_dimension(sick: bool) -> object:
    out, y = torch.randn(8, 1), torch.zeros(8)
    y = y if sick else y[:, None]
    return nn.BCEWithLogitsLoss()(out, y)  # fails


@says("since transpose(1, 2)", "back.reshape(2, 32)")
def view_of_a_turned_tensor(sick: bool) -> object:
    heads = torch.randn(2, 4, 8)
    back = heads.transpose(1, 2) if sick else heads.view(2, 8, 4)
    return back.view(2, 32)  # fails


@says("Dimension 2 has 30, not 4 × 7 = 28")
def heads_that_do_not_divide(sick: bool) -> object:
    x = torch.randn(2, 10, 30 if sick else 32)
    b, t, d = x.shape
    return x.view(b, t, 4, d // 4)  # fails


@says("wants 3 dimensions, but `x` [8, 64] has 2")
def unpacked_into_too_many(sick: bool) -> object:
    x = torch.randn(8, 64) if sick else torch.randn(8, 4, 16)
    b, t, d = x.shape  # fails
    return b, t, d


@says("`x` [4, 10] has 2 dimensions", "dimension 2")
def no_such_dimension(sick: bool) -> object:
    x = torch.randn(4, 10)
    return x.softmax(dim=2 if sick else 1)  # fails


@says("places 0..9")
def index_out_of_range(sick: bool) -> object:
    out, last = torch.randn(4, 10), 10 if sick else 9
    return out[:, last]  # fails


@says("actions.unsqueeze(1)")
def index_without_a_dimension(sick: bool) -> object:
    q, actions = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    actions = actions if sick else actions[:, None]
    return q.gather(1, actions)  # fails


@says("can't grow", "bias = bias + x")
def grows_in_place(sick: bool) -> object:
    bias, x = torch.zeros(4, 1 if sick else 4), torch.randn(4, 4)
    bias += x  # fails
    return bias


@says("`d` is 8 in `w` [8, 7], but 16")
def subscript_of_two_sizes(sick: bool) -> object:
    q, w = torch.randn(2, 5, 16), torch.randn(8 if sick else 16, 7)
    return torch.einsum("btd,de->bte", q, w)  # fails


@says("`loss` [8] has 8", "loss.mean().backward()")
def loss_of_several_numbers(sick: bool) -> object:
    loss = torch.zeros(8, requires_grad=True) ** 2
    loss = loss if sick else loss.mean()
    return loss.backward()  # fails
