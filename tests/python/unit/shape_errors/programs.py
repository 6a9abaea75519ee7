"""Programs with an operation whose shapes do not fit, which are right when `sick` is False.

The failing line carries `# fails`.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

Program = Callable[[bool], object]
PROGRAMS: list[tuple[Program, tuple[str, ...]]] = []
"""Each with words of the finding: its message, its advice, and its related lines."""


def says(*words: str) -> Callable[[Program], Program]:
    def add(program: Program) -> Program:
        PROGRAMS.append((program, words))
        return program

    return add


class Images(nn.Module):
    def __init__(self, features: int, start: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.start = start
        self.fc = nn.Linear(features, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = x.flatten(self.start)
        return self.fc(x)  # fails


@says("`fc` (Linear, 512 → 4)", "`x` [2, 392]", "392 = 8 × 7 × 7 of [2, 8, 7, 7]", "nn.Linear(392, 4)")
def flattened_to_another_size(sick: bool) -> object:
    return Images(512 if sick else 392)(torch.randn(2, 3, 16, 16))


@says("has merged the batch of 2", "flatten(1)")
def flattened_with_the_batch(sick: bool) -> object:
    return Images(392, 0 if sick else 1)(torch.randn(2, 3, 16, 16))


@says("not flattened", "images.flatten(1)")
def never_flattened(sick: bool) -> object:
    net, images = nn.Sequential(nn.Linear(64, 8), nn.ReLU()), torch.randn(4, 1, 8, 8)
    return net(images if sick else images.flatten(1))  # fails


@says("`2` (Linear, 12 → 3)", "its input [4, 8] has 8")
def layers_that_do_not_follow(sick: bool) -> object:
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(12 if sick else 8, 3))
    return net(torch.randn(4, 5))  # fails


@says("Dimension 1 has 64", "feats.transpose(1, 2)")
def features_in_the_middle(sick: bool) -> object:
    proj = nn.Linear(64, 16)
    feats = torch.randn(4, 64, 100) if sick else torch.randn(4, 100, 64)
    return proj(feats)  # fails


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


@says("33 % 16 = 1", "`1` (BatchNorm1d", "drop_last=True")
def last_batch_in_batch_norm(sick: bool) -> object:
    loader = DataLoader(TensorDataset(torch.randn(33, 5)), batch_size=16, drop_last=not sick)
    net = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4))
    for (x,) in loader:
        net(x)  # fails
    return None


@says("40 % 16 = 8", "`state` [1, 16, 7]", "drop_last=True")
def last_batch_in_a_hidden_state(sick: bool) -> object:
    loader = DataLoader(TensorDataset(torch.randn(40, 6, 5)), batch_size=16, drop_last=not sick)
    rnn, state = nn.GRU(5, 7, batch_first=True), torch.zeros(1, 16, 7)
    for (x,) in loader:
        rnn(x, state)  # fails
    return None


@says("Dimension 1 has 12", "x.transpose(1, 2)")
def time_and_features_exchanged(sick: bool) -> object:
    lstm = nn.LSTM(12, 4, batch_first=True)
    x = torch.randn(2, 12, 30) if sick else torch.randn(2, 30, 12)
    return lstm(x)  # fails


@says("looks channels-last", "x.permute(0, 3, 1, 2)")
def channels_last(sick: bool) -> object:
    net, x = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), torch.randn(2, 9, 9, 3)
    x = x if sick else x.permute(0, 3, 1, 2)
    return net(x)  # fails


@says("the batch of 5", "x.unsqueeze(1)")
def no_channels(sick: bool) -> object:
    conv, x = nn.Conv2d(1, 4, 3), torch.randn(5, 9, 9)
    x = x if sick else x.unsqueeze(1)
    return conv(x)  # fails


@says("It is grey", "x.repeat(1, 3, 1, 1)", "nn.Conv2d(1, 4, 3)")
def grey_images(sick: bool) -> object:
    x, conv = torch.randn(2, 1, 9, 9), nn.Conv2d(3, 4, 3)
    x = x if sick else x.repeat(1, 3, 1, 1)
    return conv(x)  # fails


@says("[N, L, C]", "h.transpose(1, 2)")
def sequence_in_a_convolution(sick: bool) -> object:
    conv, h = nn.Conv1d(6, 4, 3), torch.randn(2, 12, 6)
    h = h if sick else h.transpose(1, 2)
    return conv(h)  # fails


@says("x.view(-1, 1, 5, 5)")
def flat_images(sick: bool) -> object:
    conv, x = nn.Conv2d(1, 4, 3), torch.randn(2, 25)
    x = x if sick else x.view(-1, 1, 5, 5)
    return conv(x)  # fails


@says("`2` (Conv2d, 4 → 4) has a kernel of 5 × 5", "[2, 4, 3, 3]")
def too_small_for_the_kernel(sick: bool) -> object:
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2), nn.Conv2d(4, 4, 5))
    return net(torch.randn(2, 1, 8 if sick else 18, 8 if sick else 18))  # fails


@says("`bn` (BatchNorm2d, 4 features)", "has 8 in dimension 1", "nn.BatchNorm2d(8)")
def another_number_of_features(sick: bool) -> object:
    x = torch.randn(2, 8, 3, 3)
    bn = nn.BatchNorm2d(4 if sick else 8)
    return bn(x)  # fails


@says("Dimension 1 has 6: LayerNorm wants it last", "x.permute(0, 2, 3, 1)")
def layer_norm_over_channels(sick: bool) -> object:
    norm, x = nn.LayerNorm(6), torch.randn(2, 6, 3, 3)
    x = x if sick else x.permute(0, 2, 3, 1)
    return norm(x)  # fails


@says("takes 4D input", "nn.BatchNorm1d")
def batch_norm_of_other_dimensions(sick: bool) -> object:
    norm, x = (nn.BatchNorm2d if sick else nn.BatchNorm1d)(6), torch.randn(2, 6)
    return norm(x)  # fails


@says("rows 0..9", "10 at [1, 2]: 1 of 6 numbers is outside")
def token_without_a_row(sick: bool) -> object:
    emb, ids = nn.Embedding(10, 4), torch.zeros(2, 3, dtype=torch.long)
    ids[1, 2] = 10 if sick else 9
    return emb(ids)  # fails


@says("These are positions", "8 > 6")
def positions_without_a_row(sick: bool) -> object:
    table, positions = nn.Embedding(6, 4), torch.arange(8 if sick else 6)
    return table(positions)  # fails


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


@says("30", "4 does not divide")
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


@says("takes 8 features (embed_dim), but `x` [2, 5, 4] has 4")
def attention_of_another_size(sick: bool) -> object:
    attention, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(2, 5, 4 if sick else 8)
    return attention(x, x, x)  # fails


@says("`mask` is [2, 5], but has to be [5, 5]", "key_padding_mask")
def mask_of_another_kind(sick: bool) -> object:
    attention, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(2, 5, 8)
    mask = torch.zeros(2 if sick else 5, 5)
    return attention(x, x, x, attn_mask=mask)  # fails


@says("10 features (embed_dim) can't be shared among 4 heads")
def heads_of_no_whole_size(sick: bool) -> object:
    return nn.MultiheadAttention(10, 4 if sick else 5)  # fails


@says("`loss` [8] has 8", "loss.mean().backward()")
def loss_of_several_numbers(sick: bool) -> object:
    loss = torch.zeros(8, requires_grad=True) ** 2
    loss = loss if sick else loss.mean()
    return loss.backward()  # fails


@says("`weight` is [3, 4] there, [2, 4] in the model")
def weights_of_other_shapes(sick: bool) -> object:
    saved = nn.Linear(4, 3 if sick else 2).state_dict()
    return nn.Linear(4, 2).load_state_dict(saved)  # fails
