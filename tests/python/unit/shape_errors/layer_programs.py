"""Layers that get another shape than they take."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from unit.shape_errors.programs import Programs

says = Programs()


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


@says("`weight` is [3, 4] there, [2, 4] in the model")
def weights_of_other_shapes(sick: bool) -> object:
    saved = nn.Linear(4, 3 if sick else 2).state_dict()
    return nn.Linear(4, 2).load_state_dict(saved)  # fails
