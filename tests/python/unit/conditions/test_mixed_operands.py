"""What an error about devices or dtypes is said to be about, where the failing line does not name it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from unit.conditions.watching import Train, Watch

from tensorpeek.contract.messages import Finding


def weight_of_a_criterion() -> None:
    criterion = nn.CrossEntropyLoss(weight=torch.ones(3))
    logits, labels = torch.randn(4, 3, device="meta"), torch.zeros(4, dtype=torch.long, device="meta")
    criterion(logits, labels)


def state_read_and_assigned() -> None:
    cell = nn.GRUCell(6, 12, device="meta")
    x, h = torch.randn(4, 5, 6, device="meta"), torch.zeros(4, 12)
    h = cell(x[:, 0], h)


def weight_inside_a_model() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 3, dtype=torch.float64))
    model(torch.randn(4, 8))


def labels_of_int32() -> None:
    model, labels = nn.Linear(9, 4), torch.zeros(16, dtype=torch.int32)
    F.cross_entropy(model(torch.randn(16, 9)), labels)


def integer_target() -> None:
    model, labels = nn.Linear(6, 1), torch.zeros(16, 1, dtype=torch.long)
    F.binary_cross_entropy(torch.sigmoid(model(torch.randn(16, 6))), labels)


def labels_that_are_floats() -> None:
    model, labels = nn.Linear(9, 4), torch.zeros(16)
    nn.CrossEntropyLoss()(model(torch.randn(16, 9)), labels)


def ids_that_are_floats() -> None:
    table, rows = nn.Embedding(20, 4), torch.zeros(6, 2)
    table(rows[:, 0])


@pytest.mark.parametrize(
    ("train", "words"),
    [
        (labels_that_are_floats, "`labels` is float32"),
        (ids_that_are_floats, "`input` is float32"),
        (weight_of_a_criterion, "`CrossEntropyLoss.weight` is on cpu; `input` is on meta"),
        (state_read_and_assigned, "the weights of `cell` (GRUCell) are on meta; `h` is on cpu"),
        (weight_inside_a_model, "`Linear.weight` is float64"),
        (labels_of_int32, "`labels` is int32"),
        (integer_target, "`labels` is int64"),
    ],
)
def test_what_disagrees_is_named(watch: Watch, train: Train, words: str) -> None:
    finding: Finding = watch(train, "mixed-device")[-1]
    assert words in finding["message"]
    assert not any(".weight =" in step for step in finding["next"])


def test_integers_are_not_blamed_for_other_dtypes(watch: Watch) -> None:
    def train() -> None:
        model, ids = nn.Linear(4, 2), torch.zeros(4, dtype=torch.long)
        x = torch.zeros(4, 4, dtype=torch.float64)
        model(x)[ids]

    assert "int64" not in watch(train, "mixed-device")[-1]["message"]
