"""Structural faults are told, with the line that made them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.trainings import blobs, fit, mlp
from unit.conditions.watching import Watch


class Broadcasting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(5, 1)

    def loss(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = self.layer(x)
        return (out - y).abs().mean()


def broadcast() -> None:
    x = torch.randn(32, 5)
    y, model = x[:, 0], Broadcasting()
    fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: model.loss(x, y), 5)


def broadcast_in_the_library() -> None:
    x, model = torch.randn(32, 5), nn.Linear(5, 1)
    target = x[:, 0]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = F.smooth_l1_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def sigmoid_twice() -> None:
    x, y = blobs(classes=2)
    model = nn.Sequential(nn.Linear(10, 1), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def softmax_by_hand() -> None:
    x, y = blobs()
    model = nn.Linear(10, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        powers = model(x).exp()
        loss = F.cross_entropy(powers / powers.sum(1, keepdim=True), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def scores_into_nll() -> None:
    x, y = blobs()
    model = nn.Linear(10, 4)
    fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: F.nll_loss(model(x), y), 5)


class Cut(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(10, 6), nn.Linear(6, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.encoder(x)
        inner = torch.tensor(inner.tolist())
        return self.decoder(inner)


def cut() -> None:
    x, y = blobs()
    model = Cut()
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 10)


class InDictionary(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = {"one": nn.Linear(10, 4)}
        self.body = nn.Linear(10, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.heads["one"](torch.relu(self.body(x)))


def in_a_dictionary() -> None:
    x, y = blobs()
    model = InDictionary()
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 10)


def never_cleared_with_accumulation() -> None:
    x, y = blobs()
    model = mlp(10, 8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for batch in range(16):
        F.cross_entropy(model(x), y).backward()
        if batch % 2:
            optimizer.step()


def left_in_eval() -> None:
    x, y = blobs()
    model = nn.Sequential(nn.Linear(10, 8), nn.Dropout(0.5), nn.Linear(8, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        fit(optimizer, lambda: F.cross_entropy(model(x), y), 4)
        model.eval()


def zeros() -> None:
    x, y = blobs()
    model = mlp(10, 8, 4, activation=nn.Tanh)
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    fit(torch.optim.SGD(model.parameters(), lr=0.1), lambda: F.cross_entropy(model(x), y), 20)


def growing() -> None:
    cell = nn.RNNCell(4, 8)
    state = torch.zeros(2, 8)
    for _ in range(15):
        state = cell(torch.randn(2, 4), state)
        state.mean().backward(retain_graph=True)


def running_total() -> None:
    x, y = blobs()
    model = nn.Linear(10, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = torch.zeros(())
    for _ in range(20):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + loss


def list_of_losses() -> None:
    x, y = blobs()
    model = nn.Linear(10, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)


def graph_used_twice() -> None:
    cell = nn.RNNCell(4, 8)
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
    state = torch.zeros(2, 8)
    for _ in range(5):
        state = cell(torch.randn(2, 4), state)
        optimizer.zero_grad()
        state.mean().backward()
        optimizer.step()


def wrong_dtype() -> None:
    x = torch.randn(4, 10).double()
    model = nn.Sequential(nn.Linear(10, 4), nn.ReLU())
    model(x).mean().backward()


def half_in_the_middle() -> None:
    x, weight = torch.randn(4, 10), torch.randn(10, 3, dtype=torch.float16)
    hidden = x @ weight
    hidden.mean()


FAULTS: dict[Callable[[], None], tuple[str, str, str]] = {
    broadcast: ("silent-broadcast", "return (out - y).abs().mean()", "[32, 1]"),
    broadcast_in_the_library: ("silent-broadcast", "smooth_l1_loss", "[32]"),
    sigmoid_twice: ("loss-input", "binary_cross_entropy_with_logits", "0.313"),
    softmax_by_hand: ("loss-input", "cross_entropy", "4 classes"),
    scores_into_nll: ("loss-input", "nll_loss", "raw scores"),
    cut: ("parameter-unused", "torch.tensor(inner.tolist())", "`encoder.weight`"),
    in_a_dictionary: ("parameter-unused", "self.heads = ", "`InDictionary.heads`"),
    never_cleared_with_accumulation: ("gradients-kept", "optimizer.step()", "zero_grad() is missing"),
    left_in_eval: ("eval-mode", "", "`1` (Dropout)"),
    zeros: ("identical-units", "", "8 units of `0.weight`"),
    growing: ("growing-graph", "state = cell(torch.randn(2, 4), state)", "`state` carries"),
    running_total: ("growing-graph", "total = total + loss", "`total`"),
    list_of_losses: ("growing-graph", "losses.append(loss)", "`losses` holds"),
    graph_used_twice: ("growing-graph", "state.mean().backward()", "through `state`"),
    wrong_dtype: ("mixed-device", "model(x).mean().backward()", "`x` is float64"),
    half_in_the_middle: ("mixed-device", "hidden = x @ weight", "`weight` is float16"),
}


@pytest.mark.parametrize("training", FAULTS, ids=lambda training: training.__name__)
def test_a_fault_is_told_once_with_its_line(training: Callable[[], None], watch: Watch) -> None:
    condition, line, words = FAULTS[training]
    found = watch(training, condition)
    assert [finding["condition"] for finding in found] == [condition]
    assert line in found[0]["lineText"]
    assert words in found[0]["message"]
    assert found[0]["next"]
    assert len(found[0]["title"]) <= 31
