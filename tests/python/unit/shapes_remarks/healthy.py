"""Healthy models that broadcast, reshape and normalize in ways that look like a mistake."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import einops
import torch
import torch.nn.functional as F
from torch import Tensor, nn

B, T, D = 4, 6, 8
Forward = Callable[..., Any]
Inputs = Callable[[], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Case:
    forward: Forward
    inputs: Inputs


CASES: list[Case] = []


class Net(nn.Module):
    """Some layers, and a function that takes them and the inputs."""

    def __init__(self, forward: Forward) -> None:
        super().__init__()
        self.fc, self.one, self.two = nn.Linear(D, D), nn.Linear(D, 1), nn.Linear(D, 1)
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm1d(D)
        self.embedding, self.gru, self.lstm = nn.Embedding(9, D), nn.GRU(D, D, 2), nn.LSTM(D, D, 2)
        self.attention = nn.MultiheadAttention(D, 2, batch_first=True)
        self.encoder = nn.TransformerEncoderLayer(D, 2, 16)
        self.queue = nn.Parameter(torch.randn(11, D))
        self.then = forward

    def forward(self, *inputs: Tensor) -> Any:
        return self.then(self, *inputs)


def healthy(inputs: Inputs) -> Callable[[Forward], Forward]:
    def add(forward: Forward) -> Forward:
        CASES.append(Case(forward, inputs))
        return forward

    return add


def rows() -> tuple[Tensor, ...]:
    return (torch.randn(B, D),)


def two_rows() -> tuple[Tensor, ...]:
    return torch.randn(B, D), torch.randn(B, D)


def rows_and_numbers() -> tuple[Tensor, ...]:
    return torch.randn(B, D), torch.rand(B)


def rows_and_classes() -> tuple[Tensor, ...]:
    return torch.randn(B, D), torch.randint(0, D, (B,))


def sequence() -> tuple[Tensor, ...]:
    return (torch.randn(B, T, D),)


def sequence_and_mask() -> tuple[Tensor, ...]:
    return torch.randn(B, T, D), torch.rand(B, T) > 0.2


def time_first() -> tuple[Tensor, ...]:
    return (torch.randn(T, B, D),)


def tokens() -> tuple[Tensor, ...]:
    return (torch.randint(0, 9, (B, T)),)


def image() -> tuple[Tensor, ...]:
    return (torch.randn(B, 3, 12, 12),)


def clip() -> tuple[Tensor, ...]:
    return (torch.randn(B, 5, 3, 12, 12),)


# Pairs that are meant


@healthy(two_rows)
def outer_difference(net: Net, x: Tensor, y: Tensor) -> Tensor:
    return (net.fc(x)[:, None] - net.fc(y)[None]).pow(2).sum(-1)


@healthy(rows)
def pairwise_distances(net: Net, x: Tensor) -> Tensor:
    z = net.fc(x)
    squares = z.pow(2).sum(1, keepdim=True)
    return squares + z.pow(2).sum(1) - 2 * z @ z.t()


@healthy(rows)
def distances_to_codes(net: Net, x: Tensor) -> Tensor:
    z = net.fc(x)
    distances = z.pow(2).sum(1, keepdim=True) + net.queue.pow(2).sum(1) - 2 * z @ net.queue.t()
    return net.queue[distances.argmin(1)]


@healthy(rows)
def ranking(net: Net, x: Tensor) -> Tensor:
    score = net.one(x).squeeze(-1)
    return F.softplus(score.unsqueeze(1) - score).mean()


@healthy(rows)
def ranking_by_view(net: Net, x: Tensor) -> Tensor:
    score = net.one(x).flatten()
    return (score.view(-1, 1) - score).sigmoid().mean(1)


@healthy(rows_and_numbers)
def cox(net: Net, x: Tensor, time: Tensor) -> Tensor:
    risk = net.one(x).squeeze(-1)
    at_risk = (time.view(1, -1) >= time.view(-1, 1)).float()
    return (risk - (risk.exp() * at_risk).sum(1).log()).mean()


@healthy(two_rows)
def clip_loss(net: Net, x: Tensor, y: Tensor) -> Tensor:
    scores = 10 * F.normalize(net.fc(x), dim=-1) @ F.normalize(y, dim=-1).t()
    target = torch.arange(x.shape[0])
    return F.cross_entropy(scores, target) + F.cross_entropy(scores.t(), target)


@healthy(two_rows)
def clip_by_softmax(net: Net, x: Tensor, y: Tensor) -> Tensor:
    scores = net.fc(x) @ y.t()
    return -(scores.log_softmax(0).diagonal() + scores.log_softmax(1).diagonal()).mean()


@healthy(two_rows)
def simclr(net: Net, x: Tensor, y: Tensor) -> Tensor:
    z = F.normalize(torch.cat([net.fc(x), net.fc(y)]), dim=1)
    scores = (z @ z.t()).masked_fill(torch.eye(z.shape[0], dtype=torch.bool), -1e9)
    b = x.shape[0]
    return F.cross_entropy(scores, torch.cat([torch.arange(b) + b, torch.arange(b)]))


@healthy(rows_and_classes)
def supervised_contrast(net: Net, x: Tensor, y: Tensor) -> Tensor:
    z = F.normalize(net.fc(x), dim=1)
    scores = z @ z.t()
    scores = scores - scores.max(1, keepdim=True).values.detach()
    same = (y.view(-1, 1) == y.view(1, -1)).float()
    likelihood = scores - scores.exp().sum(1, keepdim=True).log()
    return -((same * likelihood).sum(1) / same.sum(1)).mean()


@healthy(two_rows)
def moco(net: Net, x: Tensor, y: Tensor) -> Tensor:
    q, k = net.fc(x), net.fc(y)
    positive = (q * k).sum(1, keepdim=True)
    scores = torch.cat([positive, q @ net.queue.t()], 1)
    return F.cross_entropy(scores, torch.zeros(x.shape[0], dtype=torch.long))


@healthy(rows_and_classes)
def hardest_triplets(net: Net, x: Tensor, y: Tensor) -> Tensor:
    z = net.fc(x)
    distance = (z[:, None] - z[None]).norm(dim=-1)
    same = y[:, None] == y[None]
    return F.relu((distance * same).max(1).values - (distance + 9 * same).min(1).values + 1).mean()


@healthy(rows)
def swav(net: Net, x: Tensor) -> Tensor:
    scores = (net.fc(x) / 0.05).exp().t()
    for _ in range(3):
        scores = scores / scores.sum(1, keepdim=True)
        scores = scores / scores.sum(0, keepdim=True)
    return scores.t()


@healthy(rows)
def both_ways(net: Net, x: Tensor) -> Tensor:
    scores = net.fc(x)
    return scores.softmax(0) * scores.softmax(1)


@healthy(rows)
def dense_graph_attention(net: Net, x: Tensor) -> Tensor:
    h = net.fc(x)
    scores = F.leaky_relu(net.one(h) + net.two(h).T)
    return scores.softmax(-1) @ h


@healthy(sequence)
def relative_positions(net: Net, x: Tensor) -> Tensor:
    at = torch.arange(x.shape[1])
    bias = -(at[:, None] - at).abs().float()
    return ((x @ x.transpose(1, 2)) + bias).softmax(-1) @ x


@healthy(rows)
def positions_in_the_batch(net: Net, x: Tensor) -> Tensor:
    return net.one(x) - torch.arange(x.shape[0])


# Broadcasts of sizes that differ


@healthy(sequence_and_mask)
def masked_attention(net: Net, x: Tensor, mask: Tensor) -> Tensor:
    b, t, _ = x.shape
    q = net.fc(x).view(b, t, 2, D // 2).transpose(1, 2)
    scores = (q @ q.transpose(-2, -1)).masked_fill(~mask[:, None, None, :], -1e9)
    causal = torch.ones(t, t).tril()[None, None]
    return ((scores + causal.log()).softmax(-1) @ q).transpose(1, 2).reshape(b, t, D)


@healthy(sequence_and_mask)
def mean_of_the_valid(net: Net, x: Tensor, mask: Tensor) -> Tensor:
    weight = mask.float().unsqueeze(-1)
    return (net.fc(x) * weight).sum(1) / weight.sum(1).clamp(min=1)


@healthy(image)
def squeeze_and_excite(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    gate = net.fc(y.mean((2, 3))).sigmoid()
    return y * gate[:, :, None, None]


@healthy(image)
def noised(net: Net, x: Tensor) -> Tensor:
    t = torch.randint(0, 10, (x.shape[0],))
    alpha = torch.linspace(0.9, 0.1, 10)[t].view(-1, 1, 1, 1)
    return net.conv(alpha.sqrt() * x + (1 - alpha).sqrt() * torch.randn_like(x))


@healthy(rows)
def duel(net: Net, x: Tensor) -> Tensor:
    advantage = net.fc(x)
    return net.one(x) + advantage - advantage.mean(1, keepdim=True)


@healthy(rows_and_numbers)
def weighted_rows(net: Net, x: Tensor, weight: Tensor) -> Tensor:
    return (net.fc(x).pow(2).mean(1) * weight).mean()


@healthy(rows_and_classes)
def weighted_entropy(net: Net, x: Tensor, y: Tensor) -> Tensor:
    return (F.cross_entropy(net.fc(x), y, reduction="none") * y.float().sqrt()).mean()


@healthy(rows_and_numbers)
def regression(net: Net, x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(net.one(x), y[:, None]) + F.l1_loss(net.one(x)[:, 0], y)


@healthy(rows)
def normalized_by_hand(net: Net, x: Tensor) -> Tensor:
    y = net.fc(x)
    return (y - y.mean(0)) / (y.std(0) + 1e-5)


@healthy(rows)
def normalized(net: Net, x: Tensor) -> Tensor:
    return net.norm(net.fc(x))


# Softmax over sets


@healthy(rows)
def bag_of_instances(net: Net, x: Tensor) -> Tensor:
    weights = net.one(x).softmax(0)
    return (weights * net.fc(x)).sum(0, keepdim=True)


@healthy(rows)
def gated_instances(net: Net, x: Tensor) -> Tensor:
    scores = torch.cat([net.one(x), net.two(x)], 1)
    return torch.mm(scores.t().softmax(1), net.fc(x))


@healthy(rows)
def context_of_all_nodes(net: Net, x: Tensor) -> Tensor:
    scores = torch.cat([net.one(x), net.two(x)], 1)
    context = torch.einsum("nk,nd->kd", scores.softmax(0), net.fc(x))
    return x + context.mean(0)


@healthy(rows)
def weights_of_samples(net: Net, x: Tensor) -> Tensor:
    return net.one(x).flatten().softmax(0) * x.mean(1)


@healthy(time_first)
def attention_over_time_first(net: Net, x: Tensor) -> Tensor:
    weights = net.one(x).squeeze(-1).softmax(0)
    return (weights.unsqueeze(-1) * x).sum(0)


@healthy(sequence)
def slots(net: Net, x: Tensor) -> Tensor:
    weights = (x @ net.queue.t()).softmax(-1)
    weights = weights / weights.sum(1, keepdim=True)
    return weights.transpose(1, 2) @ net.fc(x)


@healthy(sequence)
def experts(net: Net, x: Tensor) -> Tensor:
    flat = x.reshape(-1, D)
    gates, chosen = net.fc(flat).softmax(-1).topk(2, -1)
    out = torch.zeros_like(flat)
    for number in range(D):
        weight = (gates * (chosen == number)).sum(-1, keepdim=True)
        out = out + weight * (flat + number)
    return out.view_as(x)


@healthy(sequence)
def tokens_chosen_by_experts(net: Net, x: Tensor) -> Tensor:
    flat = x.reshape(-1, D)
    gates, chosen = net.fc(flat).softmax(-1).t().topk(3, -1)
    out = torch.zeros_like(flat)
    return out.index_add(0, chosen.flatten(), (gates.unsqueeze(-1) * flat[chosen]).flatten(0, 1)).view_as(x)


# Reshapes


@healthy(clip)
def frames_in_the_batch(net: Net, x: Tensor) -> Tensor:
    b, t, c, h, w = x.shape
    y = net.conv(x.view(b * t, c, h, w)).mean((2, 3))
    return net.gru(y.view(b, t, -1).transpose(0, 1))[0][-1]


@healthy(clip)
def temporal_shift(net: Net, x: Tensor) -> Tensor:
    b, t, c, h, w = x.shape
    y = net.conv(x.reshape(-1, c, h, w)).view(b, t, 8, h, w)
    shifted = torch.zeros_like(y)
    shifted[:, :-1, :2] = y[:, 1:, :2]
    shifted[:, 1:, 2:4] = y[:, :-1, 2:4]
    shifted[:, :, 4:] = y[:, :, 4:]
    return shifted.view(b * t, 8, h, w).flatten(1).view(b, t, -1).mean(1)


@healthy(image)
def windows(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x).permute(0, 2, 3, 1)
    b, h, w, c = y.shape
    parts = y.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 16, c)
    parts = net.attention(parts, parts, parts)[0]
    b = int(parts.shape[0] // (h * w / 16)) if isinstance(parts.shape[0], int) else b
    y = parts.view(b, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)
    return y.mean((1, 2))


@healthy(image)
def shifted_windows(net: Net, x: Tensor) -> Tensor:
    y = torch.roll(net.conv(x).permute(0, 2, 3, 1), (-2, -2), (1, 2))
    parts = y.unfold(1, 4, 4).unfold(2, 4, 4).permute(0, 1, 2, 4, 5, 3).reshape(-1, 16, 8)
    scores = parts @ parts.transpose(1, 2)
    mask = torch.zeros(9, 16, 16)
    scores = scores.view(-1, 9, 16, 16) + mask.unsqueeze(0)
    return scores.view(-1, 16, 16).softmax(-1) @ parts


@healthy(image)
def pixel_shuffle(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    b, c, h, w = y.shape
    return y.view(b, c // 4, 2, 2, h, w).permute(0, 1, 4, 2, 5, 3).reshape(b, c // 4, 2 * h, 2 * w)


@healthy(image)
def channel_shuffle(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    b, c, h, w = y.shape
    return y.view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w)


@healthy(image)
def group_norm(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    g = y.view(y.shape[0], 2, -1)
    return ((g - g.mean(-1, keepdim=True)) / g.std(-1, keepdim=True)).view_as(y)


@healthy(image)
def patches(net: Net, x: Tensor) -> Tensor:
    y = F.unfold(x, 4, stride=4).transpose(1, 2)
    return y.reshape(x.shape[0], 9, 3, 4, 4).flatten(2)


@healthy(image)
def boxes_of_anchors(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    return y.view(x.shape[0], 2, 4, 12, 12).permute(0, 1, 3, 4, 2).reshape(x.shape[0], -1, 4)


@healthy(image)
def pixels_as_rows(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x).permute(0, 2, 3, 1).reshape(-1, 8)
    return net.fc(y).view(x.shape[0], 12, 12, 8).permute(0, 3, 1, 2)


@healthy(sequence)
def samples_as_one_sequence(net: Net, x: Tensor) -> Tensor:
    """Attention over the batch, on purpose."""
    b, t, d = x.shape
    y = net.fc(x).reshape(1, b * t, d)
    return net.attention(y, y, y)[0].view(b, t, d)


@healthy(sequence)
def attention_between_samples(net: Net, x: Tensor) -> Tensor:
    y = net.fc(x).transpose(0, 1)
    return net.attention(y, y, y)[0].transpose(0, 1)


@healthy(time_first)
def time_comes_first(net: Net, x: Tensor) -> Tensor:
    y = net.encoder(x)
    out, last = net.gru(y)
    return torch.cat([out[-1], last[0]], -1)


@healthy(sequence)
def last_states(net: Net, x: Tensor) -> Tensor:
    last = net.gru(x.transpose(0, 1))[1]
    return last.permute(1, 0, 2).reshape(x.shape[0], -1)


@healthy(sequence)
def states_by_layer(net: Net, x: Tensor) -> Tensor:
    last = net.lstm(x.transpose(0, 1))[1][0]
    return last.view(2, 1, x.shape[0], D)[-1, 0]


@healthy(sequence)
def every_position_a_row(net: Net, x: Tensor) -> Tensor:
    return net.norm(net.fc(x).reshape(-1, D)).reshape(x.shape)


@healthy(sequence)
def flattened_and_back(net: Net, x: Tensor) -> Tensor:
    y = net.fc(x.transpose(0, 1))
    return F.relu(y.reshape(-1)).view(y.shape)


@healthy(rows)
def beams(net: Net, x: Tensor) -> Tensor:
    wide = x.unsqueeze(1).expand(-1, 3, -1).reshape(-1, D)
    return net.fc(wide).view(x.shape[0], 3, D).max(1).values


@healthy(rows)
def beams_interleaved(net: Net, x: Tensor) -> Tensor:
    return net.fc(x.repeat_interleave(3, 0)).view(-1, 3, D).max(1).values


@healthy(rows)
def repeated(net: Net, x: Tensor) -> Tensor:
    return net.fc(x.repeat(3, 1)).view(3, -1, D).mean(0)


@healthy(rows)
def rays(net: Net, x: Tensor) -> Tensor:
    points = x[:, None] + torch.linspace(0, 1, 5)[:, None]
    density = net.one(points.reshape(-1, D)).view(x.shape[0], 5)
    weights = torch.cumprod(1 - density.sigmoid(), 1)
    return (weights[..., None] * points).sum(1)


@healthy(two_rows)
def halves(net: Net, x: Tensor, y: Tensor) -> Tensor:
    one, two = net.fc(torch.cat([x, y])).chunk(2)
    return (one - two).pow(2).mean(1)


@healthy(rows)
def minibatch_deviation(net: Net, x: Tensor) -> Tensor:
    spread = net.fc(x).std(0).mean().expand(x.shape[0], 1)
    return torch.cat([x, spread], 1)


@healthy(rows)
def mixed_up(net: Net, x: Tensor) -> Tensor:
    return net.fc(0.3 * x + 0.7 * x[torch.randperm(x.shape[0])])


@healthy(tokens)
def embedded(net: Net, ids: Tensor) -> Tensor:
    return net.embedding(ids).view(ids.shape[0], -1)


@healthy(tokens)
def language_model(net: Net, ids: Tensor) -> Tensor:
    y = net.fc(net.embedding(ids))
    return F.cross_entropy(y[:, :-1].reshape(-1, D), ids[:, 1:].reshape(-1).clamp(max=D - 1))


@healthy(tokens)
def language_model_turned(net: Net, ids: Tensor) -> Tensor:
    y = net.fc(net.embedding(ids))
    return F.cross_entropy(y.transpose(1, 2), ids.clamp(max=D - 1))


@healthy(image)
def segmentation(net: Net, x: Tensor) -> Tensor:
    y = net.conv(x)
    return F.cross_entropy(y, y.argmax(1)) + F.nll_loss(y.log_softmax(1), y.argmax(1))


@healthy(sequence)
def shifted_relative_scores(net: Net, x: Tensor) -> Tensor:
    b, t, _ = x.shape
    scores = net.fc(x) @ torch.randn(D, t)
    padded = F.pad(scores, (1, 0)).view(b, t + 1, t)
    return (scores + padded[:, 1:]).softmax(-1) @ x


@healthy(sequence)
def capsules(net: Net, x: Tensor) -> Tensor:
    votes = net.fc(x).view(x.shape[0], T, 2, 4)
    routes = torch.zeros(x.shape[0], T, 2)
    for _ in range(2):
        out = (routes.softmax(2).unsqueeze(-1) * votes).sum(1, keepdim=True)
        routes = routes + (votes * out).sum(-1)
    return out.squeeze(1)


@healthy(sequence)
def einops_heads(net: Net, x: Tensor) -> Tensor:
    q = einops.rearrange(net.fc(x), "b t (h d) -> b h t d", h=2)
    y = F.scaled_dot_product_attention(q, q, q)
    return einops.rearrange(y, "b h t d -> b t (h d)")


@healthy(clip)
def einops_clips(net: Net, x: Tensor) -> Tensor:
    y = net.conv(einops.rearrange(x, "b t c h w -> (b t) c h w"))
    y = einops.reduce(y, "(b t) c (h p) (w q) -> b t (h w) c", "mean", t=5, p=4, q=4)
    y = einops.rearrange(y, "b t s c -> (b s) t c")
    y = net.attention(y, y, y)[0]
    return einops.rearrange(y, "(b s) t c -> b (t s c)", s=9)


@healthy(sequence)
def einops_repeat(net: Net, x: Tensor) -> Tensor:
    y = einops.repeat(net.fc(x), "b t d -> (k b) t d", k=2)
    return einops.rearrange(y, "(k b) t d -> b t (k d)", k=2)


@healthy(rows)
def scattered(net: Net, x: Tensor) -> Tensor:
    source, target = torch.randint(0, B, (2, 10))
    messages = net.fc(x[source]) * net.one(x[target] - x[source]).sigmoid()
    count = torch.zeros(x.shape[0]).index_add(0, target, torch.ones(10)).clamp(min=1)
    return torch.zeros_like(x).index_add(0, target, messages) / count[:, None]


@healthy(sequence)
def by_features(net: Net, x: Tensor) -> Tensor:
    scores = x.transpose(1, 2) @ x / math.sqrt(T)
    return (scores.softmax(-1) @ x.transpose(1, 2)).transpose(1, 2)
