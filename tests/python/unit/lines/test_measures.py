"""What the functions of `tp` measure, of every kind of value, and that the program can't tell."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from tensorpeek.probe.lines import measures, reading
from tensorpeek.probe.lines.found import Unusable
from tensorpeek.probe.lines.reading import mean, number
from tensorpeek.probe.lines.summary import summary
from tensorpeek.probe.tensors.unwrap import Readable

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        (True, 1.0),
        (2.5, 2.5),
        (3 + 4j, 5.0),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        ([10**400], math.inf),
        (Fraction(1, 4), 0.25),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7.0),
        (np.array([1, 3]), 2.0),
        (torch.tensor(2.5), 2.5),
        (torch.tensor([2.5]), 2.5),
        (torch.tensor([1.0, 3.0]), 2.0),
        (torch.tensor(3), 3.0),
        (torch.tensor(True), 1.0),
        (torch.tensor(0.5, dtype=torch.bfloat16), 0.5),
        (torch.tensor(0.5).to(torch.float8_e4m3fn), 0.5),
        (torch.tensor(3 + 4j), 5.0),
        (nn.Parameter(torch.tensor(1.5)), 1.5),
        ([1.0, torch.tensor(3.0)], 2.0),
        ({"a": 1, "b": [3]}, 2.0),
        (Pair(1, 3), 2.0),
        (torch.tensor([[1.0, 0.0]]).to_sparse(), 1.0),
    ],
    ids=str,
)
def test_one_number_of_a_value(value: Any, expected: float) -> None:
    assert number(value) == pytest.approx(expected)


@pytest.mark.parametrize(
    "value", ["text", object(), torch, [1, "a"], np.array(["a"]), torch.empty(2, device="meta")]
)
def test_what_has_no_numbers_says_so(value: Any) -> None:
    with pytest.raises(Unusable):
        number(value)


def test_a_module_stands_for_its_parameters_each_once() -> None:
    shared = nn.Linear(2, 2, bias=False)
    model = nn.Sequential(shared, shared, nn.Linear(2, 1))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)
    assert measures.norm(model) == pytest.approx(math.sqrt(4 + 2 + 1))
    assert measures.norm(model.parameters()) == measures.norm(model)
    assert measures.norm(torch.optim.SGD(model.parameters(), lr=1)) == measures.norm(model)


def test_a_generator_of_the_programs_is_not_used_up() -> None:
    generator = (value for value in [1, 2])
    with pytest.raises(Unusable):
        number(generator)
    assert list(generator) == [1, 2]


def test_the_norm_of_gradients() -> None:
    model = nn.Linear(3, 2)
    assert measures.grad_norm(model) == 0
    model(torch.ones(4, 3)).sum().backward()
    expected = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    assert measures.grad_norm(model) == pytest.approx(expected)
    assert measures.grad_norm(torch.optim.SGD(model.parameters(), 1.0)) == pytest.approx(expected)
    half = nn.Linear(3, 2).bfloat16()
    half(torch.ones(4, 3, dtype=torch.bfloat16)).sum().backward()
    assert measures.grad_norm(half) == pytest.approx(math.sqrt(3 * 2 * 16 + 2 * 16), rel=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measures.grad_norm(model(torch.ones(1, 3)), 3, [None]) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.tensor([1.0, math.nan]), True),
        (torch.tensor([1.0, -math.inf]), True),
        (torch.tensor([60000.0] * 8, dtype=torch.float16), False),
        (torch.tensor([3e38, 3e38]), False),
        (torch.tensor([1, 2]), False),
        (torch.tensor([]), False),
        (torch.tensor([1 + 1j, complex(math.nan, 0)]), True),
        (np.array([1.0, np.nan]), True),
        (np.array([1e308, 1e308]), False),
        (math.inf, True),
        ([1.0, {"a": math.nan}], True),
        (None, False),
    ],
    ids=str,
)
def test_nonfinite(value: Any, expected: bool) -> None:
    assert measures.nonfinite(value) is expected
    assert measures.nonfinite(1.0, value) is expected


@given(st.lists(st.floats(width=32), min_size=1, max_size=20), st.floats(-10, 10), st.floats(-10, 10))
def test_bounds_and_outside_agree_with_python(values: list[float], lo: float, hi: float) -> None:
    expected = any(not lo <= value <= hi for value in values)
    for value in (torch.tensor(values), np.array(values), values, torch.tensor(values)[::1]):
        low, high = measures.bounds(value)
        if any(map(math.isnan, values)):
            assert math.isnan(low)
            assert math.isnan(high)
        else:
            assert (low, high) == (min(values), max(values))
        assert (measures.outside(value, lo, hi) is not None) is expected
        assert measures.nonfinite(value) is not all(map(math.isfinite, values))


def test_nothing_is_outside_of_an_empty_value() -> None:
    assert measures.outside(torch.empty(0), 0, 1) is None
    assert measures.outside(torch.tensor([True, False]), 0, 1) is None
    assert math.isnan(mean(torch.empty(0)))


def test_shapes() -> None:
    assert measures.shape(torch.zeros(2, 3)) == (2, 3)
    assert measures.shape(np.zeros((4, 1))) == (4, 1)
    assert measures.shape(3.0) == ()
    assert measures.shape(np.float32(1)) == ()
    assert measures.shape([1, 2, 3]) == (3,)
    assert measures.shape([torch.zeros(2), torch.zeros(1, 1)]) == ((2,), (1, 1))
    assert measures.shape(nn.Linear(3, 2)) == ((2, 3), (2,))


def test_units_that_never_change_are_dead() -> None:
    torch.manual_seed(0)
    alive = torch.relu(torch.randn(64, 10))
    assert measures.dead_share(alive) == 0
    alive[:, :9] = 0
    assert measures.dead_share(alive) == pytest.approx(0.9)
    assert measures.dead_share(alive.numpy()) == pytest.approx(0.9)
    images = torch.randn(8, 4, 5, 5)
    images[:, 1] = 1.0
    assert measures.dead_share(images) == pytest.approx(0.25)
    assert measures.dead_share(torch.tensor([[0.0, 0.0, 1.0, 2.0]])) == 0.5


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.add_(1),
        lambda t: t.data.add_(1),
        lambda t: t.detach().numpy().__setitem__(0, 5),
        lambda t: t[0].fill_(math.nan),
    ],
)
def test_a_fingerprint_sees_every_change(change: Any) -> None:
    tensor = torch.zeros(4, 3)
    before = measures.fingerprint(tensor)
    assert measures.fingerprint(tensor.clone()) == before
    change(tensor)
    assert measures.fingerprint(tensor) != before
    assert measures.fingerprint(torch.zeros(4, 6)[:, ::2]) == before


@given(st.lists(st.floats(allow_nan=False, width=32), min_size=2, max_size=8), st.data())
def test_swapped_elements_are_a_change(values: list[float], data: st.DataObject) -> None:
    i, j = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(0, len(values) - 1))
    swapped = list(values)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    marks = [measures.fingerprint(torch.tensor(each)) for each in (values, swapped)]
    assert (marks[0] == marks[1]) is (list(map(repr, values)) == list(map(repr, swapped)))


class Seen(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


class Called(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def everything_of(value: Any) -> list[Any]:
    return [
        number(value), measures.norm(value), measures.nonfinite(value), measures.bounds(value),
        measures.outside(value, 0, 1), measures.shape(value), measures.dead_share(value),
        measures.fingerprint(value), measures.grad_norm(value), summary(value),
    ]  # fmt: skip


def test_nothing_is_seen_by_modes_graph_versions_and_random_numbers() -> None:
    model = nn.Linear(4, 3)
    out = model(torch.randn(5, 4))
    out.sum().backward()
    values = [out, out.sum(), model.weight, model, [out, 1.0]]
    versions = [tensor._version for tensor in (out, model.weight)]
    state = torch.get_rng_state()
    with Seen() as dispatched, Called() as called:
        for value in values:
            everything_of(value)
    assert dispatched.seen == []
    assert called.seen == []
    assert [tensor._version for tensor in (out, model.weight)] == versions
    assert torch.equal(torch.get_rng_state(), state)


def test_inside_vmap_the_values_are_read() -> None:
    seen: list[float] = []

    def inside(row: torch.Tensor) -> torch.Tensor:
        seen.append(number(row.sum()))
        return row

    torch.vmap(inside)(torch.ones(2, 3))
    assert seen == [3.0]


def test_the_summary_is_that_of_the_variables_view() -> None:
    assert summary(torch.tensor([1.0, 2.0])).startswith("f32[2] 1…2")
    assert summary(3.5) == "3.5"
    assert summary("a" * 1000).endswith("…")

    class Loud:
        def __repr__(self) -> str:
            raise AssertionError("was asked")

    assert summary(Loud()) == "<Loud>"


class OnDevice:
    """Plays that ordinary tensors lie on a device: nothing is read but through torch's own kernels."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[Any] = []
        for module in (reading, measures):
            monkeypatch.setattr(module, "readable", self._readable)
        monkeypatch.setattr(reading, "single", lambda value: None)
        monkeypatch.setattr(measures, "single", lambda value: None)

    def _readable(self, tensor: Any) -> Readable:
        self.read.append(tensor)
        return Readable(None, (), "", tensor)


def test_on_a_device_the_numbers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.tensor([[1.0, -2.0], [1.0, 4.0]])
    elsewhere = tensor.flip(0)
    here = [
        f(tensor) for f in (number, measures.norm, measures.bounds, measures.nonfinite, measures.dead_share)
    ]
    device = OnDevice(monkeypatch)
    there = [
        f(tensor) for f in (number, measures.norm, measures.bounds, measures.nonfinite, measures.dead_share)
    ]
    assert there == here
    assert device.read
    before = measures.fingerprint(tensor)
    assert measures.fingerprint(tensor.clone()) == before
    assert measures.fingerprint(elsewhere) != before


def test_a_graph_that_is_being_captured_is_not_spoilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    with pytest.raises(Unusable, match="captured"):
        reading.refuse_while_capturing()
