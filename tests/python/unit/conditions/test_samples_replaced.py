"""Samples that take the place of others after an error are told; equal samples and rare errors are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset
from unit.conditions.watching import Watch, titles

Sample = tuple[torch.Tensor, int]


class Files(Dataset[Sample]):
    def __init__(self, broken: set[int], kinds: int = 200) -> None:
        self.rows, self.broken = torch.randn(kinds, 8), broken

    def __len__(self) -> int:
        return 100

    def read(self, index: int) -> torch.Tensor:
        if index in self.broken:
            raise OSError(index)
        return self.rows[index % len(self.rows)]


class TakesTheNext(Files):
    def __getitem__(self, index: int) -> Sample:
        try:
            return self.read(index), index % 2
        except OSError:  # the next one
            return self[(index + 1) % len(self)]


class GivesZeros(Files):
    def __getitem__(self, index: int) -> Sample:
        try:
            row = self.read(index)
        except OSError:  # zeros
            row = torch.zeros(8)
        return row, index % 2


class LetsErrorsOut(Files):
    def __getitem__(self, index: int) -> Sample:
        try:
            return self.read(index), index % 2
        except OSError as error:
            raise RuntimeError(index) from error


def deliver(dataset: Dataset[Sample], workers: int = 0) -> Callable[[], object]:
    return lambda: list(DataLoader(dataset, 10, shuffle=True, num_workers=workers))


BROKEN = set(range(0, 100, 7))


@pytest.mark.parametrize(
    ("dataset", "handler", "workers"),
    [
        (TakesTheNext(BROKEN), "the next one", 0),
        (GivesZeros(BROKEN), "zeros", 0),
        (Subset(TakesTheNext(BROKEN), range(90)), "the next one", 0),
        (GivesZeros(BROKEN), "zeros", 1),
    ],
)
def test_caught_errors_are_told_at_their_handler(
    watch: Watch, dataset: Dataset[Sample], handler: str, workers: int
) -> None:
    found = watch(deliver(dataset, workers), "samples-replaced")
    assert titles(found) == ["Samples replaced after errors"]
    assert handler in found[0]["lineText"]
    assert "OSError" in found[0]["message"]


@pytest.mark.parametrize(
    "dataset",
    [
        TakesTheNext(set()),
        TakesTheNext({5}),
        TakesTheNext(set(), kinds=10),
        LetsErrorsOut(set(), kinds=10),
    ],
    ids=["no error", "one error", "equal samples", "errors come out"],
)
def test_nothing_is_said_without_many_of_both(watch: Watch, dataset: Dataset[Sample]) -> None:
    assert watch(deliver(dataset), "samples-replaced") == []
