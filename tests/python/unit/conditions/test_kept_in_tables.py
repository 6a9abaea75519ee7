"""Graphs that are kept where the loop only owns the container: in tables of an object, by a hook."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable

import pytest
import torch
from torch import nn
from unit.conditions.watching import Watch

from tensorpeek.contract.messages import Finding
from tensorpeek.probe.conditions import ctx_outputs

Keep = Callable[[torch.Tensor], torch.Tensor]


class Fit:
    def __init__(self, keep: Keep) -> None:
        self.model, self.keep = nn.Linear(8, 1), keep
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.history: defaultdict[str, list[torch.Tensor]] = defaultdict(list)

    def step(self) -> None:
        loss = self.model(torch.randn(4, 8)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.history["train"].append(self.keep(loss))


def in_a_table(keep: Keep) -> None:
    fit = Fit(keep)
    for _ in range(60):
        fit.step()


def in_entries(keep: Keep) -> None:
    """As an agent keeps what it did, with the critic's values."""
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    memory: deque[tuple[int, torch.Tensor]] = deque(maxlen=1000)
    for step in range(60):
        value = model(torch.randn(4, 8))
        memory.append((step, keep(value)))
        loss = value.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Book:
    def __init__(self) -> None:
        self.rows: defaultdict[str, list[dict[str, torch.Tensor]]] = defaultdict(list)

    def write(self, name: str, entry: dict[str, torch.Tensor]) -> None:
        self.rows[name].append(entry)


def by_a_method_of_another(keep: Keep) -> None:
    model, book = nn.Linear(8, 1), Book()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(60):
        loss = model(torch.randn(4, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        book.write("train", {"loss": keep(loss)})


class Remembering(nn.Module):
    def __init__(self, keep: Keep) -> None:
        super().__init__()
        self.layer, self.keep = nn.Linear(8, 1), keep
        self.seen: dict[int, torch.Tensor] = {}

    def forward(self, x: torch.Tensor, key: int) -> torch.Tensor:
        y = self.layer(x)
        self.seen[key] = self.keep(y)
        return y


def by_a_key_of_its_own(keep: Keep) -> None:
    model = Remembering(keep)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(60):
        loss = model(torch.randn(4, 8), step).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def under_a_few_keys(keep: Keep) -> None:
    """The last output of each kind, which is no growth."""
    model = Remembering(keep)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(60):
        loss = model(torch.randn(4, 8), step % 3).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def by_a_hook(keep: Keep) -> None:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    maps: list[torch.Tensor] = []

    def fill(module: nn.Module, args: object, output: torch.Tensor) -> None:
        maps.append(keep(output))

    model.register_forward_hook(fill)
    for _ in range(60):
        loss = model(torch.randn(4, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert len(maps) == 60


@pytest.mark.parametrize(
    ("train", "line"),
    [
        (in_a_table, 'self.history["train"].append(self.keep(loss))'),
        (by_a_hook, "maps.append(keep(output))"),
        (in_entries, "memory.append((step, keep(value)))"),
        (by_a_method_of_another, "self.rows[name].append(entry)"),
        (by_a_key_of_its_own, "self.seen[key] = self.keep(y)"),
    ],
)
def test_it_is_told_at_the_line_that_fills(watch: Watch, train: Callable[[Keep], None], line: str) -> None:
    found: list[Finding] = watch(lambda: train(lambda kept: kept), "growing-graph")
    assert [finding["lineText"].strip() for finding in found] == [line]
    assert watch(lambda: train(torch.Tensor.detach), "growing-graph") == []


def test_a_table_that_does_not_grow_is_none(watch: Watch) -> None:
    assert watch(lambda: under_a_few_keys(lambda kept: kept), "growing-graph") == []


class Unwilling(type):
    """A class of the program that can't be asked about its bases."""

    @property
    def __mro__(cls) -> tuple[type, ...]:
        raise RuntimeError("__mro__")


def test_classes_that_raise_are_passed_by_when_memory_is_looked_through() -> None:
    unwilling = Unwilling("Odd", (), {})()
    assert ctx_outputs.in_memory() is None
    assert type(unwilling).__name__ == "Odd"
