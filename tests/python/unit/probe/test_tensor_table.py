from __future__ import annotations

import collections
import dataclasses
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.tensor_table import tensor_table


@dataclasses.dataclass
class Output:
    loss: torch.Tensor


class Slotted:
    __slots__ = ("x",)

    def __init__(self):
        self.x = torch.ones(3)


class Trainer:
    def __init__(self):
        self.buffer = torch.zeros(5)
        self.model = nn.ModuleDict({"a-b": nn.Linear(2, 2), "plain": nn.Sequential(nn.Linear(2, 2))})
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.__dict__["hidden"] = torch.ones(2)

    @property
    def hidden(self):
        raise AssertionError("a property was run")

    def frame(self):
        x = torch.arange(6.0).reshape(2, 3)
        same = x  # noqa: F841
        view = x.T  # noqa: F841
        array = np.arange(4.0)
        shared = torch.from_numpy(array)  # noqa: F841
        output = Output(torch.tensor(0.5))  # noqa: F841
        holders = {  # noqa: F841
            "list": [torch.ones(1)],
            ("t", 1): torch.ones(2),
            torch.float32: torch.ones(3),
            "deque": collections.deque([torch.ones(4)]),
            "set": {torch.ones(5)},
            "user": collections.UserDict(ids=torch.ones(6)),
            "slotted": Slotted(),
        }
        self.model["plain"](torch.ones(1, 2)).sum().backward()
        self.optimizer.step()
        return sys._getframe()


@pytest.fixture
def frame():
    return Trainer().frame()


def table(frame: Any, limit: int = 1000, budget_ms: float = 10_000) -> Any:
    return tensor_table(frame, limit, budget_ms, Deadline.after)


def test_every_expression_yields_the_very_value(frame):
    found = table(frame)
    assert not found["truncated"]
    assert found["path"] == __file__
    rows = {row["expression"]: row for row in found["rows"]}
    assert len(rows) == len(found["rows"])
    for expression, row in rows.items():
        value = eval(expression, frame.f_globals, frame.f_locals)
        assert isinstance(value, (torch.Tensor, np.ndarray)), expression
        assert list(value.shape) == row["shape"], expression
    for expected in (
        "x", "same", "view", "array", "shared", "output.loss", "self.buffer", "self.__dict__['hidden']",
        "holders['list'][0]", "holders[('t', 1)]", "list(holders.values())[2]", "holders['deque'][0]",
        "list(holders['set'])[0]", "holders['user']['ids']", "holders['slotted'].x",
        "self.model.plain[0].weight", "self.model.plain[0].weight.grad", "self.model._modules['a-b'].weight",
    ):  # fmt: skip
        assert expected in rows, expected
    assert any("self.optimizer.state.values()" in expression for expression in rows)


def test_rows_say_numbers_bytes_and_storage(frame):
    rows = {row["expression"]: row for row in table(frame)["rows"]}
    assert rows["x"] == {
        "expression": "x", "type": "Tensor", "shape": [2, 3], "dtype": "f32", "device": "cpu", "bytes": 24,
        "min": 0.0, "max": 5.0, "mean": 2.5, "exact": True, "alarm": "", "line": 0,
        "storage": rows["view"]["storage"],
    }  # fmt: skip
    assert rows["self.buffer"]["alarm"] == "all 0"
    assert rows["array"]["storage"] == rows["shared"]["storage"] != ""


def test_limits_are_kept_and_said(frame):
    few = table(frame, limit=3)
    assert len(few["rows"]) == 3
    assert few["truncated"]
    late = table(frame, budget_ms=0)
    assert late["truncated"]


def test_what_is_nearest_comes_first(frame):
    rows = [row["expression"] for row in table(frame, limit=5)["rows"]]
    assert set(rows) == {"x", "same", "view", "array", "shared"}


def test_loops_and_endless_chains_end():
    class Node:
        pass

    def paused():
        first = node = Node()
        for _ in range(100):
            node.next, node.back, node.x = Node(), first, torch.ones(1)
            node = node.next
        return sys._getframe()

    found = table(paused())
    assert 0 < len(found["rows"]) <= 20


def test_arrays_of_every_class_have_a_storage_and_an_end(tmp_path):
    def paused():
        mapped = np.memmap(tmp_path / "numbers", dtype="f4", mode="w+", shape=(4, 4))
        part = mapped[1:]  # noqa: F841
        record = np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)])  # noqa: F841
        masked = np.ma.masked_array([1.0, 2.0], [0, 1])  # noqa: F841
        matrix = np.arange(4.0).reshape(2, 2).view(np.matrix)  # noqa: F841
        return sys._getframe()

    rows = {row["expression"]: row for row in table(paused())["rows"]}
    assert {"mapped", "part", "record", "masked", "matrix"} <= set(rows)
    assert rows["part"]["storage"] == rows["mapped"]["storage"] != ""


def test_a_large_container_holds_no_name_up():
    def paused():
        first = {f"key{i}": [] for i in range(100_000)}  # noqa: F841
        last = torch.ones(3)  # noqa: F841
        return sys._getframe()

    visited_after = iter([False] * 2 + [True] * 1_000)

    class Brief(Deadline):
        @property
        def expired(self):
            return next(visited_after)

    found = tensor_table(paused(), 1000, 60, lambda _: Brief.never())
    assert [row["expression"] for row in found["rows"]] == ["last"]
    assert found["truncated"]
