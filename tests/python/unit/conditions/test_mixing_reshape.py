"""A reshape in a transpose's place is told with its line, and no reshape that is meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from unit.conditions.reshapes import EMBEDDED, IMAGES, SEQUENCES, STATES, B, C, D, Forward, H, S, T
from unit.conditions.trainings import fit
from unit.conditions.watching import Watch

from tensorpeek.probe.shape_faults.dimension_groups import is_merge_of, tears

CONDITIONS = "mixing-reshape,silent-broadcast,loss-input"


class Net(nn.Module):
    """A layer, and what a function makes of its output."""

    def __init__(self, layer: nn.Module, forward: Forward) -> None:
        super().__init__()
        self.layer, self.then = layer, forward

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.then(self.layer(x))


class States(nn.Module):
    def __init__(self, kind: type[nn.GRU] | type[nn.LSTM]) -> None:
        super().__init__()
        self.inner = kind(3, 5, num_layers=2, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        last = self.inner(x)[1]
        return last if isinstance(last, torch.Tensor) else last[0]


def training(layer: Callable[[], nn.Module], x: Callable[[], torch.Tensor], forward: Forward) -> object:
    model, given_x = Net(layer(), forward), x()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return fit(optimizer, lambda: model(given_x).pow(2).mean(), 4)


def sequences(forward: Forward) -> object:
    return training(lambda: nn.Linear(5, 3 * H * D), lambda: torch.randn(B, T, 5), forward)


def images(forward: Forward, channels: int = C, size: int = S) -> object:
    return training(
        lambda: nn.Sequential(nn.Conv2d(3, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()),
        lambda: torch.randn(B, 3, size, size),
        forward,
    )


def states(forward: Forward, kind: type[nn.GRU] | type[nn.LSTM] = nn.GRU) -> object:
    return training(lambda: States(kind), lambda: torch.randn(6, 4, 3), forward)


def rows_of_features(forward: Forward) -> object:
    return training(lambda: nn.Linear(5, 8), lambda: torch.randn(4, 6, 5), forward)


def embedding(forward: Forward) -> object:
    return training(lambda: nn.Embedding(9, 4), lambda: torch.randint(0, 9, (6, 5)), forward)


@pytest.mark.parametrize(
    ("train", "forward"),
    [
        pytest.param(train, forward, id=forward.__name__)
        for train, forwards in (
            (sequences, SEQUENCES),
            (images, IMAGES),
            (states, STATES),
            (embedding, EMBEDDED),
        )
        for forward in forwards
    ],
)
def test_a_meant_reshape_is_left_alone(
    train: Callable[[Forward], object], forward: Forward, watch: Watch
) -> None:
    assert [finding["message"] for finding in watch(lambda: train(forward), CONDITIONS)] == []


def heads(x: torch.Tensor) -> torch.Tensor:
    q, k, v = x.view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(q, k, v)
    return mixed.reshape(B, T, H * D)  # sick


def heads_by_hand(x: torch.Tensor) -> torch.Tensor:
    q, k, v = (part.view(B, T, H, D).transpose(1, 2) for part in x.chunk(3, dim=-1))
    mixed = (q @ k.transpose(-2, -1)).softmax(-1) @ v
    return mixed.contiguous().view(B, T, -1)  # sick


def heads_that_divide_the_time(x: torch.Tensor) -> torch.Tensor:
    wide = torch.cat([x, x], 1)[:, :8]
    q, k, v = (part.view(B, 8, H, D).transpose(1, 2) for part in wide.chunk(3, dim=-1))
    mixed = F.scaled_dot_product_attention(q, k, v)
    return mixed.reshape(B, 8, H * D)  # sick


def channels_last(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, 25, 8)  # sick


def an_image_turned(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(B, 5, 5, 8)  # sick


def states_in_a_row(last: torch.Tensor) -> torch.Tensor:
    return last.view(last.size(1), -1)  # sick


def states_by_sample(last: torch.Tensor) -> torch.Tensor:
    return last.reshape(6, 2, 5)  # sick


def features_first(x: torch.Tensor) -> torch.Tensor:
    return x.view(6, 4, 5)  # sick


def positions_last(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x).view(x.size(0), x.size(2), x.size(1))  # sick


def time_first(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x).view(x.size(1), x.size(0), -1)  # sick


def rows_of_channels(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1, 5).log_softmax(-1)  # sick


SICK: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: sequences(heads), "[2, 4, 6, 8] is reshaped to [2, 6, 32]"),
    (lambda: sequences(heads_by_hand), "[2, 4, 6, 8] is reshaped to [2, 6, 32]"),
    (lambda: sequences(heads_that_divide_the_time), "[2, 4, 8, 8] is reshaped to [2, 8, 32]"),
    (lambda: rows_of_features(positions_last), "8 features of a linear layer"),
    (lambda: rows_of_features(time_first), "exchanged"),
    (lambda: images(rows_of_channels, 5, 4), "5 channels"),
    (lambda: images(channels_last, 8, 5), "8 channels"),
    (lambda: images(an_image_turned, 8, 5), "8 channels"),
    (lambda: states(states_in_a_row), "stacked before the batch"),
    (lambda: states(states_in_a_row, nn.LSTM), "stacked before the batch"),
    (lambda: states(states_by_sample), "stacked before the batch"),
    (lambda: embedding(features_first), "4 features"),
)


@pytest.mark.parametrize(("train", "words"), SICK)
def test_a_reshape_that_mixes_is_told_once(train: Callable[[], object], words: str, watch: Watch) -> None:
    found = watch(train, CONDITIONS)
    assert [finding["condition"] for finding in found] == ["mixing-reshape"]
    assert "# sick" in found[0]["lineText"]
    assert words in found[0]["message"]


def over_the_batch() -> object:
    x, y, model = torch.randn(32, 5), torch.randint(0, 4, (32,)), nn.Linear(5, 4)
    return fit(
        torch.optim.SGD(model.parameters(), lr=0.01), lambda: F.nll_loss(model(x).log_softmax(0), y), 4
    )


def over_the_width() -> object:
    x, y, model = torch.randn(2, 3, 8, 8), torch.randint(0, 4, (2, 8, 8)), nn.Conv2d(3, 4, 1)
    loss = nn.NLLLoss()
    return fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: loss(model(x).log_softmax(-1), y), 4)


@pytest.mark.parametrize("train", [over_the_batch, over_the_width])
def test_probabilities_over_what_are_no_classes_are_told(train: Callable[[], object], watch: Watch) -> None:
    found = watch(train, CONDITIONS)
    assert [finding["condition"] for finding in found] == ["loss-input"]
    assert "nll_loss" in found[0]["message"] or "log_softmax" in found[0]["message"]


def over_the_classes() -> object:
    x, y, model = torch.randn(2, 3, 8, 8), torch.randint(0, 4, (2, 8, 8)), nn.Conv2d(3, 4, 1)
    return fit(
        torch.optim.SGD(model.parameters(), lr=0.01), lambda: F.nll_loss(model(x).log_softmax(1), y), 4
    )


def rows_of_classes() -> object:
    x, y, model = torch.randn(2, 6, 5), torch.randint(0, 4, (2, 6)), nn.Linear(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return fit(optimizer, lambda: F.nll_loss(model(x).log_softmax(-1).view(-1, 4), y.view(-1)), 4)


def one_row() -> object:
    x, y, model = torch.randn(5), torch.tensor(2), nn.Linear(5, 4)
    return fit(
        torch.optim.SGD(model.parameters(), lr=0.01), lambda: F.nll_loss(model(x).log_softmax(0), y), 4
    )


def transposed_to_classes() -> object:
    x, y, model = torch.randn(2, 6, 5), torch.randint(0, 4, (2, 6)), nn.Linear(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return fit(optimizer, lambda: F.nll_loss(model(x).log_softmax(-1).transpose(1, 2), y), 4)


def pairs_in_the_batch() -> object:
    """Contrastive both ways: over the batch on purpose."""
    x, model = torch.randn(8, 5), nn.Linear(5, 4)

    def loss() -> torch.Tensor:
        one = F.normalize(model(x), dim=1)
        scores = one @ one.T / 0.1
        return -(scores.log_softmax(0).diag().mean() + scores.log_softmax(1).diag().mean())

    return fit(torch.optim.SGD(model.parameters(), lr=0.01), loss, 4)


def pairs_picked_by_a_loss() -> object:
    x, model = torch.randn(8, 5), nn.Linear(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def loss() -> torch.Tensor:
        scores = model(x) @ model(x + 0.1).T
        return F.nll_loss(scores.log_softmax(0), torch.arange(8)) + F.cross_entropy(scores, torch.arange(8))

    return fit(optimizer, loss, 4)


@pytest.mark.parametrize(
    "train",
    [
        pairs_picked_by_a_loss,
        over_the_classes,
        rows_of_classes,
        one_row,
        transposed_to_classes,
        pairs_in_the_batch,
    ],
)
def test_probabilities_over_classes_are_left_alone(train: Callable[[], object], watch: Watch) -> None:
    assert [finding["message"] for finding in watch(train, CONDITIONS)] == []


sizes = st.lists(st.integers(1, 6), min_size=2, max_size=5)


@given(sizes, st.data())
def test_merging_neighbours_tears_nothing(shape: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(shape) - 2))
    merged = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
    assert is_merge_of(tuple(shape), merged)
    assert not tears(tuple(shape), merged)
    assert not tears(merged, tuple(shape))
