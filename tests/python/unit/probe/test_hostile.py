"""Values that raise wherever they can: each has a line and rows, and no code of theirs need run."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from torch import nn

from tensorpeek.probe import reach
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.frame_lines import glimpse_of, resolve
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.shorthand import shorthand


def text_of(value: Any, deadline: Deadline) -> str:
    """What stands at the end of a line that uses the value."""
    glimpse = glimpse_of(value)
    if glimpse.scan is not None:
        glimpse.scan.advance(deadline)
    return glimpse.text


class Metaclass(type):
    def __hash__(cls):
        raise RuntimeError("hash of a class")

    def __eq__(cls, other):
        raise RuntimeError("comparison of a class")

    def __getattribute__(cls, name):
        if name in ("__name__", "__module__", "__mro__", "__dict__"):
            raise RuntimeError(f"{name} of a class")
        return super().__getattribute__(name)


class BadClass(metaclass=Metaclass):
    pass


class BadEverything:
    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise RuntimeError("repr")


class BadList(list):
    def __iter__(self):
        raise RuntimeError("iter")

    def __len__(self):
        raise RuntimeError("len")

    def __getitem__(self, index):
        raise RuntimeError("getitem")


class BadDict(dict):
    def __iter__(self):
        raise RuntimeError("iter")

    def items(self):
        raise RuntimeError("items")

    def __len__(self):
        raise RuntimeError("len")

    __getitem__ = __iter__


@dataclasses.dataclass
class BadData:
    x: Any

    def __getattribute__(self, name):
        raise RuntimeError(name)


class BadTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("torch function")


class BadModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def __repr__(self):
        raise RuntimeError("repr")

    def __getattr__(self, name):
        raise RuntimeError(name)


class BadArray(np.ndarray):
    def __getattribute__(self, name):
        raise RuntimeError(name)


class Colour(enum.Enum):
    RED = 1


def broken_frame() -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame.__new__(pandas.DataFrame)


BAD = {
    "class": BadClass(),
    "everything": BadEverything(),
    "list": BadList([torch.ones(2), BadEverything()]),
    "dict": BadDict(x=torch.ones(2)),
    "data": BadData(torch.ones(2)),
    "tensor": torch.ones(2).as_subclass(BadTensor),
    "module": BadModule(),
    "array": np.ones(3).view(BadArray),
    "half a module": nn.Linear.__new__(nn.Linear),
    "half an optimizer": torch.optim.Adam.__new__(torch.optim.Adam),
    "half a loader": torch.utils.data.DataLoader.__new__(torch.utils.data.DataLoader),
    "half a dataset": torch.utils.data.TensorDataset.__new__(torch.utils.data.TensorDataset),
    "half a scheduler": torch.optim.lr_scheduler.StepLR.__new__(torch.optim.lr_scheduler.StepLR),
    "half a user dict": collections.UserDict.__new__(collections.UserDict),
    "mock of a tensor": mock.Mock(spec=torch.Tensor),
    "mock": mock.MagicMock(),
    "enum": Colour.RED,
    "meta": torch.empty(3, device="meta"),
    "numbers of all sizes": [10**5000, float("nan"), -0.0, 1e308, b"\xff", "\ud800", "x" * 10**6],
}


@pytest.mark.parametrize("name", BAD)
def test_has_a_line_and_rows(answers, name):
    value = BAD[name]
    for configured in (True, False):
        answers.is_configured = configured
        line = answers.first(value)
        assert line is None or isinstance(line["text"], str)
    rows = answers.children(value)
    assert all(isinstance(row_name, str) for row_name, _, _ in rows)


@pytest.mark.parametrize("name", BAD)
def test_has_a_shorthand_and_members(name):
    assert isinstance(shorthand(BAD[name]), str)
    assert isinstance(text_of(BAD[name], Deadline.after(10)), str)
    list(reach.members(BAD[name]))


def test_overridden_methods_of_containers_are_not_run(say):
    assert say(BAD["list"]) == "BadList[f32[2], BadEverything] 8 B"
    assert say(BAD["dict"]) == "BadDict(x: f32[2]) 8 B"
    assert say(BAD["data"]) == "BadData(x: f32[2]) 8 B", "a hostile dataclass"
    assert say(BAD["module"]) == "BadModule 6 params train 24 B"


def test_a_frame_without_its_insides_has_a_line(say):
    assert say(broken_frame()).startswith("DataFrame <no summary")


def test_rows_that_cannot_be_made_say_why(answers):
    def fail():
        raise RuntimeError

    ((name, value, _),) = answers.children(Group("", fail))
    assert (name, value) == ("error", " <no summary: RuntimeError>")


def test_deep_nesting_ends(say):
    deep: list[Any] = [torch.ones(1)]
    for _ in range(5000):
        deep = [deep]
    assert say(deep) == "ordinary"


def test_containers_in_containers_do_not_multiply(monkeypatch):
    looked_at, parts = [], reach.parts

    def noted(container: Any) -> Any:
        for part in parts(container):
            looked_at.append(part)
            yield part

    monkeypatch.setattr(reach, "parts", noted)
    assert shorthand([[[0] * 1000] * 1000] * 1000).startswith("[[[1000× 0], ")
    assert len(looked_at) <= 2100


def test_keys_of_any_length_have_short_names():
    keys = ["x" * 10**6, b"x" * 10**6, 10**5000, ("x" * 10**6,), "x"]
    names = [reach.key_name(key, index) for index, key in enumerate(keys)]
    assert names == ["str key 0", "bytes key 1", "int key 2", "tuple key 3", "'x'"]
    assert reach.expression("d", reach.key_suffix(keys[0], 0)) == "list(d.values())[0]"


def test_dotted_names_run_no_property():
    class Model:
        limit = 3

        def __init__(self):
            self.x = torch.ones(2)

        @property
        def costly(self):
            raise AssertionError("a property was run")

        def __getattr__(self, name):
            raise AssertionError("__getattr__ was run")

    names = {"model": Model()}
    assert resolve("model.x", names, {}) is names["model"].x
    assert resolve("model.limit", names, {}) == 3
    for missing in (
        "model.costly",
        "model.unknown",
        "model.x.unknown",
        "unknown",
        "model.__class__.__name__",
    ):
        assert text_of(resolve(missing, names, {}), Deadline.after(10)) == ""
