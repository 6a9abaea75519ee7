"""Rows of the training in an evaluation, and statistics of all rows, are told; what is meant is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset
from unit.conditions.trainings import fit, mlp
from unit.conditions.watching import Watch, titles

ROWS = "Training rows in an evaluation"
STATISTICS = "Test data in the statistics"


class Runner:
    """A class with loaders, as users write it."""

    def __init__(self, train: TensorDataset, val: TensorDataset) -> None:
        self.net = mlp(6, 16, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.train_loader, self.val_loader = DataLoader(train, 25, shuffle=True), DataLoader(val, 25)

    @torch.no_grad()
    def evaluate(self, loader: DataLoader[tuple[torch.Tensor, ...]]) -> int:
        return sum(int((self.net(x).argmax(1) == y).sum()) for x, y in loader)

    def run(self, *, evaluates_training: bool = False) -> None:
        for _ in range(2):
            for x, y in self.train_loader:
                loss = F.cross_entropy(self.net(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            if evaluates_training:
                self.evaluate(self.train_loader)
            else:
                self.evaluate(self.val_loader)


def part(x: torch.Tensor, rows: slice) -> TensorDataset:
    return TensorDataset(x[rows], (x[rows, 0] > 0).long())


def overlapping_loaders() -> None:
    x = torch.randn(150, 6)
    Runner(part(x, slice(0, 100)), part(x, slice(60, 150))).run()


def subset_drawn_twice() -> None:
    x = torch.randn(200, 6)
    whole = part(x, slice(0, 200))
    train_set, val_set = (Subset(whole, torch.randperm(200)[:count].tolist()) for count in (150, 60))
    runner = Runner(train_set, val_set)  # pyright: ignore[reportArgumentType]
    runner.run()


def with_gradients_after_the_training() -> None:
    x = torch.randn(200, 6)
    train, test = torch.randperm(200)[:150], torch.randperm(200)[:80]
    net = mlp(6, 16, 2)
    fit(
        torch.optim.SGD(net.parameters(), 0.1),
        lambda: F.cross_entropy(net(x[train]), (x[train, 0] > 0).long()),
        5,
    )
    net(x[test]).argmax(1)


@pytest.mark.parametrize(
    ("train", "line"),
    [
        (overlapping_loaders, "self.net(x).argmax(1) == y"),
        (subset_drawn_twice, "self.net(x).argmax(1) == y"),
        (with_gradients_after_the_training, "net(x[test])"),
    ],
)
def test_shared_rows_are_told_where_the_model_is_evaluated(
    watch: Watch, train: Callable[[], None], line: str
) -> None:
    found = watch(train, "data-leak")
    assert titles(found) == [ROWS]
    assert line in found[0]["lineText"]


def apart() -> None:
    x = torch.randn(150, 6)
    Runner(part(x, slice(0, 100)), part(x, slice(100, 150))).run()


def accuracy_on_the_training_rows() -> None:
    x = torch.randn(150, 6)
    Runner(part(x, slice(0, 100)), part(x, slice(100, 150))).run(evaluates_training=True)


def folds() -> None:
    """Each fold's validation rows are training rows of the next one's model."""
    x = torch.randn(120, 6)
    for fold in range(3):
        val = torch.zeros(120, dtype=torch.bool)
        val[fold * 40 : fold * 40 + 40] = True
        y = (x[:, 0] > 0).long()
        Runner(TensorDataset(x[~val], y[~val]), TensorDataset(x[val], y[val])).run()


def few_kinds_of_rows() -> None:
    """Rows of a table with three answers repeat by nature."""
    x = torch.randint(0, 3, (400, 6)).float()
    Runner(part(x, slice(0, 300)), part(x, slice(300, 400))).run()


def acts_before_it_learns() -> None:
    """The policy is asked without gradients for the very states that it learns from then."""
    policy = mlp(6, 16, 2)
    optimizer = torch.optim.Adam(policy.parameters())
    for _ in range(4):
        states = torch.randn(64, 6)
        with torch.no_grad():
            actions = policy(states).argmax(1)
        for _ in range(3):
            loss = F.cross_entropy(policy(states), actions)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            policy(states)


def adapts_to_the_test_data() -> None:
    """It learns from the entropy of its own answers to them, on purpose."""
    model = mlp(6, 16, 2)
    optimizer = torch.optim.Adam(model.parameters())
    x_test = torch.randn(64, 6)
    for _ in range(3):
        answers = model(x_test).softmax(1)
        loss = -(answers * answers.log()).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model(x_test).argmax(1)


@pytest.mark.parametrize(
    "train",
    [
        adapts_to_the_test_data,
        apart,
        accuracy_on_the_training_rows,
        folds,
        few_kinds_of_rows,
        acts_before_it_learns,
    ],
    ids=lambda train: train.__name__,
)
def test_what_is_meant_is_not_told(watch: Watch, train: Callable[[], None]) -> None:
    assert watch(train, "data-leak") == []
