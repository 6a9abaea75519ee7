"""NaN and Inf in losses, gradients, module outputs and batches."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from unit.conditions.trainings import additive_mask, blobs, fit, masked_input, mlp
from unit.conditions.watching import Watch, titles


def logarithm_of_nothing() -> None:
    x, y = blobs()
    model = mlp(10, 16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    fit(optimizer, lambda: F.nll_loss(torch.softmax(model(x) * 1000, 1).log(), y), 3)


def nothing_by_nothing() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    fit(optimizer, lambda: (model(torch.randn(8, 3)) * 0 / torch.zeros(8, 1)).mean(), 3)


def overflow() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    fit(optimizer, lambda: (model(torch.ones(8, 3)) + 100).exp().mean(), 3)


@pytest.mark.parametrize(
    ("training", "title"),
    [
        (logarithm_of_nothing, "Inf in the loss"),
        (nothing_by_nothing, "NaN in the loss"),
        (overflow, "Inf in the loss"),
    ],
)
def test_a_loss_that_is_not_finite(training: Callable[[], None], title: str, watch: Watch) -> None:
    found = watch(training, "nan-loss")
    assert titles(found)[0] == title
    assert found[0]["step"] == 0
    assert "`loss`" in found[0]["message"]
    assert found[0]["lineText"]


def root_of_nothing(model: nn.Module) -> Callable[[], torch.Tensor]:
    return lambda: model(torch.zeros(8, 4)).pow(2).sum(1).sqrt().mean()


def hidden_by_where(model: nn.Module) -> Callable[[], torch.Tensor]:
    def loss_of() -> torch.Tensor:
        raw = model(torch.randn(32, 4))
        return torch.where(raw > 0, raw.sqrt(), 0.1 * raw).mean()

    return loss_of


def norm_of_nothing(model: nn.Module) -> Callable[[], torch.Tensor]:
    def loss_of() -> torch.Tensor:
        out = model(torch.randn(8, 4))
        return ((out - out.detach()).pow(2).sum(1) + 0.0).pow(0.5).mean()

    return loss_of


@pytest.mark.parametrize("loss_for", [root_of_nothing, hidden_by_where, norm_of_nothing])
def test_a_gradient_that_is_not_finite_stops_before_the_weights_change(
    loss_for: Callable[[nn.Module], Callable[[], torch.Tensor]], watch: Watch
) -> None:
    model = nn.Linear(4, 2)
    if loss_for is root_of_nothing:
        nn.init.zeros_(model.bias)
    found = watch(
        lambda: fit(torch.optim.SGD(model.parameters(), lr=0.1), loss_for(model), 1), "nan-gradient"
    )
    assert titles(found) in (["NaN in gradients"], ["Inf in gradients"])
    assert any(line.startswith("weight.grad: ") for line in found[0]["evidence"])
    assert found[0]["step"] == 0
    assert "weight.grad" in watch.values[0]


def pairs_in_a_sparse_table() -> None:
    table = nn.Embedding(20, 4, sparse=True)
    ids = torch.tensor([[1, 2], [3, 3]])
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    fit(optimizer, lambda: (table(ids[:, 0]) - table(ids[:, 1])).pow(2).sum(1).sqrt().mean(), 1)


def gradient_penalty() -> None:
    """Only the weights get NaN: a bias does not change the slope."""
    critic = mlp(3, 8, 1)
    x = torch.zeros(4, 3, requires_grad=True)

    def loss_of() -> torch.Tensor:
        (slope,) = torch.autograd.grad((critic(x) * 0).sum(), x, create_graph=True)
        return (slope.pow(2).sum(1).sqrt() - 1).pow(2).mean()

    fit(torch.optim.SGD(critic.parameters(), lr=0.1), loss_of, 1)


@pytest.mark.parametrize("training", [pairs_in_a_sparse_table, gradient_penalty])
def test_gradients_that_are_easily_overlooked(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "nan-gradient")
    assert titles(found) == ["NaN in gradients"]
    assert found[0]["step"] == 0


class Attention(nn.Module):
    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        scores = (x @ x.transpose(1, 2)).masked_fill(hidden[:, None], -math.inf)
        return torch.softmax(scores, -1) @ x


class Reader(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.embed, self.inner, self.out = nn.Linear(6, 6), inner, nn.Linear(6, 1)

    def forward(self, x: torch.Tensor, *more: torch.Tensor) -> torch.Tensor:
        return self.out(self.inner(self.embed(x), *more))


class Angle(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.acos(x * 100)


class Centred(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - x.mean(0)) / (x.pow(2).mean(0) - x.mean(0).pow(2)).clamp(min=0).sqrt()


def read(inner: nn.Module, *inputs: torch.Tensor) -> Callable[[], None]:
    def train() -> None:
        model = Reader(inner)
        fit(torch.optim.SGD(model.parameters(), lr=0.01), lambda: model(*inputs).pow(2).mean(), 5)

    return train


@pytest.mark.parametrize(
    "training",
    [
        read(Attention(), torch.randn(4, 5, 6), torch.ones(4, 5, dtype=torch.bool)),
        read(Angle(), torch.randn(16, 6)),
        read(Centred(), torch.randn(1, 6)),
    ],
    ids=["mask", "acos", "one row"],
)
def test_the_module_that_makes_the_nan_is_named_once(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "nan-forward")
    assert [finding["module"] for finding in found[:1]] == ["inner"]
    assert titles(found)[0] == "NaN in forward"
    assert all(finding["step"] > 0 for finding in found[1:])
    assert "output" in watch.values[0]


@pytest.mark.parametrize(
    "training", [additive_mask, read(Attention(), torch.randn(4, 5, 6), torch.zeros(4, 5, dtype=torch.bool))]
)
def test_masks_are_meant(training: Callable[[], None], watch: Watch) -> None:
    assert watch(training, "nan,bad-input") == []


def from_loader(x: torch.Tensor, steps: int = 12) -> Callable[[], None]:
    def train() -> None:
        torch.manual_seed(3)
        loader = DataLoader(TensorDataset(x, x.nan_to_num(0, 0, 0).sum(1, keepdim=True)), 16, shuffle=True)
        model = mlp(x.shape[1], 8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for _ in range(steps):
            for rows, target in loader:
                loss = F.mse_loss(model(rows), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    return train


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_batch_that_is_not_finite_is_found_before_the_model_runs(value: float, watch: Watch) -> None:
    x = torch.randn(64, 5)
    x[37, 2] = value
    found = watch(from_loader(x, 1), "bad-input")
    assert titles(found)[0] == ("NaN in the batch" if value != value else "Inf in the batch")
    assert "row 37 of the data set, feature 2" in found[0]["message"]
    assert "`rows`[" in found[0]["message"]
    assert found[0]["lineText"].strip() == "loss = F.mse_loss(model(rows), target)"
    assert "rows" in watch.values[0]


def test_what_the_program_computes_of_its_data_is_traced_back(watch: Watch) -> None:
    def scaled(rows: torch.Tensor) -> torch.Tensor:
        return (rows - rows.mean(0)) / rows.std(0)

    def train() -> None:
        x, y = blobs()
        x[:, 2] = 7.0
        model = mlp(10, 8, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            loss = F.cross_entropy(model(scaled(x)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    found = watch(train, "bad-input,nan")
    assert titles(found)[0] == "NaN in the batch"
    assert found[0]["lineText"].strip() == "return (rows - rows.mean(0)) / rows.std(0)"
    assert "`div`" in found[0]["message"]
    assert all(finding["step"] > 0 for finding in found[1:])


def test_a_model_that_fills_missing_values_is_asked_once_only(watch: Watch) -> None:
    assert len(watch(masked_input, "bad-input")) == 1


@pytest.mark.parametrize("factor", [255.0, 1e6, -1e4])
def test_a_batch_of_another_scale(factor: float, watch: Watch) -> None:
    def train() -> None:
        model = mlp(4, 8, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for step in range(40):
            x = torch.rand(16, 4)
            if step == 30:
                x[5, 1] = factor
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    found = watch(train, "bad-input")
    assert titles(found) == ["Batch out of range"]
    assert found[0]["step"] == 30
    assert "`x`[5, 1]" in found[0]["message"]


def scaled_feature(
    scale: float, first: type[nn.Module] | None = None, shift: float = 0.0
) -> Callable[[], None]:
    def train() -> None:
        x = torch.randn(128, 4)
        y = x[:, :1].tanh()
        x[:, 2] = x[:, 2] * scale + shift
        model = mlp(4, 16, 1, activation=nn.Tanh)
        if first is not None:
            model = nn.Sequential(first(4), model)
        fit(torch.optim.Adam(model.parameters(), lr=1e-3), lambda: F.mse_loss(model(x), y), 10)

    return train


@pytest.mark.parametrize(
    "training", [scaled_feature(1e4), scaled_feature(2e3), scaled_feature(1.0, shift=5e4)]
)
def test_a_feature_that_drowns_the_others(training: Callable[[], None], watch: Watch) -> None:
    found = watch(training, "bad-input")
    assert titles(found) == ["Feature out of scale"]
    assert "feature 2 of `x`" in found[0]["message"]


@pytest.mark.parametrize(
    "training", [scaled_feature(1.0), scaled_feature(20.0), scaled_feature(1e4, nn.BatchNorm1d)]
)
def test_features_that_are_scaled_or_will_be(training: Callable[[], None], watch: Watch) -> None:
    assert watch(training, "bad-input") == []
