"""Models with a fault of shapes that fit, each with its healthy twin. A fault's line ends in `# sick`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

B, T, H, D = 4, 6, 2, 8
"""Samples, positions, heads, features of a head."""
Inputs = Callable[[], tuple[Tensor, ...]]


class Pair(nn.Module):
    """`sick` and `healthy` are forward passes of the same layers."""

    def sick(self, *inputs: Any) -> Any:
        raise NotImplementedError

    def healthy(self, *inputs: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Row:
    pair: type[Pair]
    rule: str
    inputs: Inputs


ROWS: list[Row] = []


def row(rule: str, inputs: Inputs) -> Callable[[type[Pair]], type[Pair]]:
    def add(pair: type[Pair]) -> type[Pair]:
        ROWS.append(Row(pair, rule, inputs))
        return pair

    return add


class Twin(nn.Module):
    def __init__(self, pair: Pair, is_sick: bool) -> None:
        super().__init__()
        self.pair, self.is_sick = pair, is_sick

    def forward(self, *inputs: Any) -> Any:
        return self.pair.sick(*inputs) if self.is_sick else self.pair.healthy(*inputs)


def sequence() -> tuple[Tensor, ...]:
    return (torch.randn(B, T, H * D),)


def image() -> tuple[Tensor, ...]:
    return (torch.randn(B, 3, 6, 6),)


def rows() -> tuple[Tensor, ...]:
    return (torch.randn(B, D),)


def rows_and_targets() -> tuple[Tensor, ...]:
    return torch.randn(B, D), torch.randn(B)


def rows_and_classes() -> tuple[Tensor, ...]:
    return torch.randn(B, D), torch.randint(0, 3, (B,))


def sequence_and_classes() -> tuple[Tensor, ...]:
    """As many positions as classes."""
    return torch.randn(B, T, D), torch.randint(0, T, (B, T))


def tokens() -> tuple[Tensor, ...]:
    return (torch.randint(0, 9, (B, T)),)


# Reshapes


class Heads(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(H * D, 3 * H * D), nn.Linear(H * D, H * D)

    def mixed(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, H, D).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v)


@row("mixing-reshape", sequence)
class HeadsMerged(Heads):
    def sick(self, x: Tensor) -> Tensor:
        return self.out(self.mixed(x).reshape(x.shape[0], T, -1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        return self.out(self.mixed(x).transpose(1, 2).reshape(x.shape[0], T, -1))


@row("mixing-reshape", sequence)
class HeadsMergedByHand(Heads):
    def sick(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q, k, v = (part.view(b, t, H, D).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return self.out(y.contiguous().view(b, t, H * D))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q, k, v = (part.view(b, t, H, D).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return self.out(y.permute(0, 2, 1, 3).contiguous().view(b, t, H * D))


@row("mixing-reshape", image)
class ChannelsLast(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 2), nn.Linear(8, 5)

    def sick(self, x: Tensor) -> Tensor:
        return self.fc(F.relu(self.conv(x)).view(x.shape[0], 25, 8))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        return self.fc(F.relu(self.conv(x)).flatten(2).transpose(1, 2))


@row("mixing-reshape", tokens)
class FeaturesFirst(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.conv = nn.Embedding(9, 4), nn.Conv1d(4, 5, 3)

    def sick(self, ids: Tensor) -> Tensor:
        return self.conv(self.embedding(ids).view(-1, 4, T))  # sick

    def healthy(self, ids: Tensor) -> Tensor:
        return self.conv(self.embedding(ids).transpose(1, 2))


@row("mixing-reshape", sequence)
class LastStates(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.gru, self.fc = nn.GRU(H * D, 5, 2, batch_first=True), nn.Linear(10, 3)

    def sick(self, x: Tensor) -> Tensor:
        last = self.gru(x)[1]
        return self.fc(last.view(x.shape[0], -1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        last = self.gru(x)[1]
        return self.fc(last.transpose(0, 1).reshape(x.shape[0], -1))


@row("mixing-reshape", sequence)
class BothDirections(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.fc = nn.RNN(H * D, 5, bidirectional=True, batch_first=True), nn.Linear(10, 3)

    def sick(self, x: Tensor) -> Tensor:
        return self.fc(self.rnn(x)[1].reshape(-1, 10))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        last = self.rnn(x)[1]
        return self.fc(torch.cat([last[0], last[1]], -1))


@row("mixing-reshape", sequence)
class TimeFirstFlattened(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.mix, self.fc = nn.Linear(H * D, D), nn.Linear(T * D, 3)

    def sick(self, x: Tensor) -> Tensor:
        y = self.mix(x.transpose(0, 1))
        return self.fc(y.reshape(x.shape[0], -1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        y = self.mix(x.transpose(0, 1))
        return self.fc(y.transpose(0, 1).reshape(x.shape[0], -1))


@row("mixing-reshape", sequence)
class TimeFirstByView(Pair):
    """A view that should have been a transpose for a layer that wants the time first."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.fc = nn.GRU(H * D, 5), nn.Linear(5, 3)

    def sick(self, x: Tensor) -> Tensor:
        y = x.view(T, x.shape[0], -1)  # sick
        return self.fc(self.gru(y)[0][-1])

    def healthy(self, x: Tensor) -> Tensor:
        return self.fc(self.gru(x.transpose(0, 1))[0][-1])


@row("mixing-reshape", sequence)
class FramesUnfolded(Pair):
    """Frames are put into the batch, and taken out of it the other way around."""

    def __init__(self) -> None:
        super().__init__()
        self.frame, self.fc = nn.Linear(H * D, D), nn.Linear(D, 3)

    def sick(self, x: Tensor) -> Tensor:
        y = F.relu(self.frame(x.reshape(-1, H * D)))
        return self.fc(y.view(T, x.shape[0], D).mean(0))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        y = F.relu(self.frame(x.reshape(-1, H * D)))
        return self.fc(y.view(x.shape[0], T, D).mean(1))


@row("mixing-reshape", image)
class FramesOfImages(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 4, 3), nn.Linear(4, 2)

    def sick(self, x: Tensor) -> Tensor:
        clip = torch.stack([x, x + 1, x * 2])
        y = self.conv(clip.flatten(0, 1)).mean((2, 3))
        return self.fc(y.view(x.shape[0], 3, 4).mean(1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        clip = torch.stack([x, x + 1, x * 2])
        y = self.conv(clip.flatten(0, 1)).mean((2, 3))
        return self.fc(y.view(3, x.shape[0], 4).mean(0))


@row("mixing-reshape", rows)
class TwoViews(Pair):
    """Two augmentations in a row, taken for neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 5)

    def sick(self, x: Tensor) -> Tensor:
        z = self.fc(torch.cat([x, x + 0.1]))
        return z.view(-1, 2, 5).mean(1)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        z = self.fc(torch.cat([x, x + 0.1]))
        return z.view(2, -1, 5).mean(0)


@row("mixing-reshape", rows)
class RepeatedSamples(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 5)

    def sick(self, x: Tensor) -> Tensor:
        many = self.fc(x.repeat(3, 1) + torch.randn(3 * x.shape[0], D))
        return many.view(x.shape[0], 3, 5).mean(1)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        many = self.fc(x.repeat_interleave(3, 0) + torch.randn(3 * x.shape[0], D))
        return many.view(x.shape[0], 3, 5).mean(1)


@row("mixing-reshape", sequence)
class HeadsOfTheBatch(Pair):
    """Heads before the samples, taken for behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(H * D, H * D)

    def sick(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        y = self.qkv(x).view(b, T, H, D).permute(2, 0, 1, 3).reshape(H * b, T, D)
        y = torch.bmm(torch.bmm(y, y.transpose(1, 2)).softmax(-1), y)
        return y.view(b, H, T, D).transpose(1, 2).reshape(b, T, H * D)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        y = self.qkv(x).view(b, T, H, D).permute(2, 0, 1, 3).reshape(H * b, T, D)
        y = torch.bmm(torch.bmm(y, y.transpose(1, 2)).softmax(-1), y)
        return y.view(H, b, T, D).permute(1, 2, 0, 3).reshape(b, T, H * D)


@row("mixing-reshape", image)
class PooledIntoRows(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 2), nn.Linear(8, 2)

    def sick(self, x: Tensor) -> Tensor:
        y = self.conv(x).permute(2, 3, 0, 1)
        return self.fc(y.reshape(x.shape[0], 25, 8).mean(1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        y = self.conv(x).permute(2, 3, 0, 1)
        return self.fc(y.reshape(25, x.shape[0], 8).mean(0))


# Broadcasts


class Regression(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 1)


@row("silent-broadcast", rows_and_targets)
class SquaredError(Regression):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return F.mse_loss(self.fc(x), y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return F.mse_loss(self.fc(x).squeeze(-1), y)


@row("silent-broadcast", rows_and_targets)
class SquaredErrorByHand(Regression):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return ((self.fc(x) - y) ** 2).mean()  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return ((self.fc(x).flatten() - y) ** 2).mean()


@row("silent-broadcast", rows_and_targets)
class AbsoluteError(Regression):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return nn.L1Loss()(self.fc(x), y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return nn.L1Loss()(self.fc(x), y.unsqueeze(1))


@row("silent-broadcast", rows_and_targets)
class SmoothError(Regression):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return F.smooth_l1_loss(self.fc(x).squeeze(), y.view(-1, 1))  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return F.smooth_l1_loss(self.fc(x), y.view(-1, 1))


@row("silent-broadcast", rows_and_targets)
class HuberError(Regression):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return F.huber_loss(self.fc(x), y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return F.huber_loss(self.fc(x)[:, 0], y)


@row("silent-broadcast", rows_and_targets)
class Weighted(Regression):
    def sick(self, x: Tensor, weight: Tensor) -> Tensor:
        return torch.sigmoid(self.fc(x)) * weight  # sick

    def healthy(self, x: Tensor, weight: Tensor) -> Tensor:
        return torch.sigmoid(self.fc(x)) * weight[:, None]


@row("silent-broadcast", rows_and_classes)
class ValuesOfActions(Pair):
    """Of a gather, which keeps the dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.value = nn.Linear(D, 3), nn.Linear(D, 3)

    def sick(self, x: Tensor, action: Tensor) -> Tensor:
        chosen = self.fc(x).gather(1, action.unsqueeze(1))
        best = self.value(x).max(1).values
        return (chosen - (1 + 0.9 * best)).pow(2).mean()  # sick

    def healthy(self, x: Tensor, action: Tensor) -> Tensor:
        chosen = self.fc(x).gather(1, action.unsqueeze(1)).squeeze(1)
        best = self.value(x).max(1).values
        return (chosen - (1 + 0.9 * best)).pow(2).mean()


@row("silent-broadcast", rows)
class Advantage(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.reward, self.value = nn.Linear(D, 1), nn.Linear(D, 1)

    def sick(self, x: Tensor) -> Tensor:
        reward = self.reward(x).squeeze(-1)
        return reward - self.value(x)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        reward = self.reward(x).squeeze(-1)
        return reward - self.value(x).squeeze(-1)


@row("silent-broadcast", rows)
class AddedInPlace(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(D, 1), nn.Linear(D, 1)

    def sick(self, x: Tensor) -> Tensor:
        score = self.one(x)
        score = score + self.two(x)[:, 0]  # sick
        return score.sigmoid()

    def healthy(self, x: Tensor) -> Tensor:
        score = self.one(x)
        score = score + self.two(x)[:, :1]
        return score.sigmoid()


@row("silent-broadcast", rows_and_targets)
class Standardized(Regression):
    def sick(self, x: Tensor, spread: Tensor) -> Tensor:
        return self.fc(x) / (spread + 1e-6)  # sick

    def healthy(self, x: Tensor, spread: Tensor) -> Tensor:
        return self.fc(x) / (spread.view(-1, 1) + 1e-6)


# Softmax


class Classifier(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 3)


@row("batch-softmax", rows)
class SoftmaxOfRows(Classifier):
    def sick(self, x: Tensor) -> Tensor:
        return self.fc(x).softmax(0)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        return self.fc(x).softmax(1)


@row("batch-softmax", rows)
class LogSoftmaxOfRows(Classifier):
    def sick(self, x: Tensor) -> Tensor:
        return F.log_softmax(self.fc(x), dim=0)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        return F.log_softmax(self.fc(x), dim=-1)


@row("batch-softmax", rows)
class SoftmaxLayer(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.over_batch = nn.Sequential(nn.Linear(D, 3), nn.Softmax(dim=0))
        self.over_classes = nn.Sequential(nn.Linear(D, 3), nn.Softmax(dim=1))

    def sick(self, x: Tensor) -> Tensor:
        return self.over_batch(x)  # sick

    def healthy(self, x: Tensor) -> Tensor:
        return self.over_classes(x)


@row("batch-softmax", sequence)
class AttentionOverSamples(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k = nn.Linear(H * D, D), nn.Linear(H * D, D)

    def sick(self, x: Tensor) -> Tensor:
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 3
        return F.softmax(scores, dim=0) @ x  # sick

    def healthy(self, x: Tensor) -> Tensor:
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 3
        return F.softmax(scores, dim=-1) @ x


@row("batch-softmax", sequence)
class PoolingWeights(Pair):
    """Weights of positions, of a pooling over the time."""

    def __init__(self) -> None:
        super().__init__()
        self.score, self.fc = nn.Linear(H * D, 1), nn.Linear(H * D, 3)

    def sick(self, x: Tensor) -> Tensor:
        weights = self.score(x).softmax(dim=0)  # sick
        return self.fc((weights * x).sum(1))

    def healthy(self, x: Tensor) -> Tensor:
        weights = self.score(x).softmax(dim=1)
        return self.fc((weights * x).sum(1))


@row("batch-softmax", rows)
class ExpertsOverSamples(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(D, 3)
        self.experts = nn.ModuleList(nn.Linear(D, 5) for _ in range(3))

    def sick(self, x: Tensor) -> Tensor:
        gates = F.softmax(self.gate(x), 0)  # sick
        return torch.stack([gates[:, i, None] * expert(x) for i, expert in enumerate(self.experts)]).sum(0)

    def healthy(self, x: Tensor) -> Tensor:
        gates = F.softmax(self.gate(x), 1)
        return torch.stack([gates[:, i, None] * expert(x) for i, expert in enumerate(self.experts)]).sum(0)


# Losses of classes


class Tagger(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, T)


@row("loss-input", sequence_and_classes)
class ClassesBehind(Tagger):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(self.fc(x), y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(self.fc(x).transpose(1, 2), y)


@row("loss-input", sequence_and_classes)
class ClassesBehindInARow(Tagger):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        return nn.CrossEntropyLoss()(F.relu(self.fc(x)) * 2, y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        return nn.CrossEntropyLoss()((F.relu(self.fc(x)) * 2).flatten(0, 1), y.flatten())


@row("loss-input", sequence_and_classes)
class SoftTargets(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 5)

    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        scores = self.fc(x)
        return F.cross_entropy(scores, scores.softmax(-1))  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        scores = self.fc(x).transpose(1, 2)
        return F.cross_entropy(scores, scores.softmax(1))


@row("batch-softmax", rows_and_classes)
class LikelihoodOverSamples(Classifier):
    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        likelihood = self.fc(x).log_softmax(0)  # sick
        return F.nll_loss(likelihood, y)

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        likelihood = self.fc(x).log_softmax(1)
        return F.nll_loss(likelihood, y)


@row("loss-input", sequence_and_classes)
class LikelihoodOverPositions(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(D, 7)

    def sick(self, x: Tensor, y: Tensor) -> Tensor:
        scores = self.fc(x).transpose(1, 2)
        return F.nll_loss(scores.log_softmax(-1), y)  # sick

    def healthy(self, x: Tensor, y: Tensor) -> Tensor:
        scores = self.fc(x).transpose(1, 2)
        return F.nll_loss(scores.log_softmax(1), y)


@row("loss-input", image)
class PixelsTurned(Pair):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 1)

    def sick(self, x: Tensor) -> Tensor:
        scores = self.conv(x).permute(0, 2, 3, 1)
        return F.cross_entropy(scores, scores.argmax(-1))  # sick

    def healthy(self, x: Tensor) -> Tensor:
        scores = self.conv(x)
        return F.cross_entropy(scores, scores.argmax(1))
