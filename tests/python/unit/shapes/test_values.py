"""What is said of a value, and that none of the user's code runs for it."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch

from tensorpeek.probe.shapes.values import described

from .programs import said

A, B = torch.zeros(2, 3), torch.zeros(4)


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Out:
    logits: Any
    note: str = ""


@dataclass
class Slim:
    __slots__ = ("a",)
    a: Any


class Inherits(Out):
    pass


class Shapely(torch.Tensor):
    @property
    def shape(self) -> Any:
        raise AssertionError

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError


class Listing(list[Any]):
    def __iter__(self) -> Any:
        raise AssertionError

    def __len__(self) -> int:
        raise AssertionError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (A, "2 3"),
        (torch.zeros(()), ""),
        (torch.empty(2, 3, device="meta"), "2 3"),
        (A.to_sparse(), "2 3"),
        (torch.nn.Parameter(A), "2 3"),
        ([A, 1, B], "[0: 2 3, 2: 4]"),
        ((A,), "[0: 2 3]"),
        ({"a": A, 3: B}, "[a: 2 3, 3: 4]"),
        (OrderedDict(z=A), "[z: 2 3]"),
        ({B}, "[0: 4]"),
        (deque([A]), "[0: 2 3]"),
        (Pair(A, None), "[left: 2 3]"),
        (Out(A, "x"), "[logits: 2 3]"),
        (Inherits(B), "[logits: 4]"),
        (Slim(A), "[a: 2 3]"),
        (Listing([A]), "[0: 2 3]"),
        (A.topk(2), "[values: 2 2, indices: 2 2]"),
        (torch.nn.utils.rnn.pack_sequence([A, A]), "[data: 4 3, batch_sizes: 2]"),
        ([[[A]]], "[0: [0: [0: 2 3]]]"),
        (torch.nested.nested_tensor([A, A]), ""),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_what_is_said(value: Any, text: str) -> None:
    found = described(value)
    assert found is not None
    assert said(found) == text


@pytest.mark.parametrize(
    "value", [1, "a", None, [1, 2], (), A.shape, torch.nn.Linear(2, 2), {"a": 1}, [[[[A]]]]]
)
def test_what_holds_no_tensor_is_nothing(value: Any) -> None:
    assert described(value) is None


def test_a_tensor_with_code_of_its_own_is_asked_below_it() -> None:
    found = described(torch.zeros(2, 3).as_subclass(Shapely))
    assert found is not None
    assert (said(found), found["type"]) == ("2 3", "Shapely")


def test_long_containers_are_cut() -> None:
    found = described([[A] * 50] * 50)
    assert found is not None
    assert found["length"] == 50
    assert len(found["items"]) <= 20
    assert sum(len(item["value"]["items"]) for item in found["items"]) <= 200


def test_sizes_of_fake_tensors_are_symbols_and_get_no_guards() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    environment = ShapeEnv()
    mode = FakeTensorMode(shape_env=environment)
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC])
    fake = mode.from_tensor(A, symbolic_context=context)
    guards = len(environment.guards)
    found = described([fake, fake.shape[0]])
    assert found is not None
    first, second = (item["value"] for item in found["items"])
    assert first["sizes"] == [2, 3]
    assert first["dims"][0] == second["dims"][0] != "2"
    assert (first["type"], second["kind"]) == ("Tensor", "number")
    assert len(environment.guards) == guards
