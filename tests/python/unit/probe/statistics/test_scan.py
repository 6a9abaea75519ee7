"""Scans against references in f64, whatever the shape, the strides, the dtype and the mix of NaN."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.probe.peek import close

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import Statistics, scan_array, scan_tensor
from tensorpeek.probe.statistics.tensor_scan import open_scan
from tensorpeek.probe.statistics.workspace import BLOCK

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.uint16,
    torch.int32,
    torch.uint32,
    torch.int64,
    torch.uint64,
]
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0]


def complete(scan: Any) -> Statistics:
    assert scan is not None
    assert scan.advance(Deadline.never())
    assert scan.cost == 0
    assert scan.statistics.exact
    return scan.statistics


def check(found: Statistics, elements: list[Any]) -> None:
    """Compares with plain Python and f64 numpy; `elements` in the order of their indices."""
    finite = [element for element in elements if math.isfinite(element)]
    assert found.count == found.seen == len(elements)
    assert found.nan == sum(element != element for element in elements)
    assert found.positive_infinite == elements.count(math.inf)
    assert found.negative_infinite == elements.count(-math.inf)
    assert found.zeros == finite.count(0)
    assert found.minimum == min(finite, default=None)
    assert found.maximum == max(finite, default=None)
    if not finite:
        assert found.mean is None
        assert found.std is None
        return
    exact = np.array(finite, np.float64)
    with np.errstate(all="ignore"):
        deviation = float(exact.std(ddof=1)) if len(finite) > 1 else None
        scale = max(abs(float(exact.max())), abs(float(exact.min())))
        mean = float(exact.mean())
    if math.isfinite(mean):
        assert close(found.mean, mean, max(1e-6 * scale, deviation or 0))
    if deviation is None:
        assert found.std is None
    elif math.isfinite(deviation):
        assert close(found.std, deviation, max(deviation, 1e-6 * scale))


def check_offenders(found: Statistics, tensor: torch.Tensor) -> None:
    values = tensor.double().numpy()
    for kind, mask in (
        ("NaN", np.isnan(values)),
        ("+Inf", np.isposinf(values)),
        ("−Inf", np.isneginf(values)),
    ):
        first = [tuple(map(int, place)) for place in np.argwhere(mask)[:4]]
        assert found.offenders.get(kind, []) == first


@st.composite
def views(draw: st.DrawFn, base: torch.Tensor) -> torch.Tensor:
    """A tensor of the base's elements through permuted, sliced, expanded and selected dimensions."""
    tensor = base
    for _ in range(draw(st.integers(0, 3))):
        change = draw(st.sampled_from(["permute", "slice", "expand", "select"]))
        if change == "permute":
            tensor = tensor.permute(draw(st.permutations(range(tensor.dim()))))
        elif change == "slice" and tensor.dim():
            axis = draw(st.integers(0, tensor.dim() - 1))
            size = tensor.size(axis)
            start = draw(st.integers(0, size))
            step = draw(st.integers(1, 3))
            tensor = tensor[(slice(None),) * axis + (slice(start, size, step),)]
        elif change == "expand" and tensor.dim() < 5:
            tensor = tensor.unsqueeze(draw(st.integers(0, tensor.dim())))
            ones = [i for i in range(tensor.dim()) if tensor.size(i) == 1]
            sizes = list(tensor.shape)
            sizes[ones[0]] = draw(st.integers(1, 4))
            tensor = tensor.expand(sizes)
        elif change == "select" and tensor.dim() > 1 and tensor.size(0):
            tensor = tensor[draw(st.integers(0, tensor.size(0) - 1))]
    return tensor


def shapes() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, 9), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), dtype=st.sampled_from(FLOATS), shape=shapes(), seed=st.integers(0, 2**32 - 1))
def test_floats(data: st.DataObject, dtype: torch.dtype, shape: list[int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    scale = 10.0 ** data.draw(st.integers(-4, 4), "scale")
    values = generator.normal(data.draw(st.sampled_from([0.0, 1.0, 100.0])) * scale, scale, math.prod(shape))
    for special in data.draw(st.lists(st.sampled_from(SPECIAL), max_size=6), "special"):
        values[generator.integers(values.size)] = special
    tensor = data.draw(views(torch.from_numpy(values).to(dtype).reshape(shape)))
    for scan in (scan_tensor(tensor), open_scan(tensor)):
        found = complete(scan)
        check(found, tensor.double().flatten().tolist())
        check_offenders(found, tensor)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), dtype=st.sampled_from(INTEGERS), shape=shapes())
def test_integers(data: st.DataObject, dtype: torch.dtype, shape: list[int]) -> None:
    limits = torch.iinfo(dtype)
    low = data.draw(st.integers(limits.min, limits.max), "low")
    high = data.draw(st.integers(low, limits.max), "high")
    size = math.prod(shape)
    elements = data.draw(st.lists(st.integers(low, high), min_size=size, max_size=size), "elements")
    tensor = data.draw(views(torch.tensor(elements, dtype=dtype).reshape(shape)))
    for scan in (scan_tensor(tensor), open_scan(tensor)):
        check(complete(scan), tensor.flatten().tolist())


@settings(max_examples=40, deadline=None)
@given(data=st.data(), dtype=st.sampled_from([torch.complex64, torch.complex128]), shape=shapes())
def test_complex(data: st.DataObject, dtype: torch.dtype, shape: list[int]) -> None:
    tensor = data.draw(views(torch.randn(shape, dtype=dtype)))
    for complex_ in (tensor, tensor.conj()):
        parts = [part for element in complex_.flatten().tolist() for part in (element.real, element.imag)]
        check(complete(scan_tensor(complex_)), parts)


@settings(max_examples=60, deadline=None)
@given(
    shape=shapes(), data=st.data(), kind=st.sampled_from(["f4", ">f4", "f2", ">i8", "u2", "?", "c8", ">c16"])
)
def test_arrays(shape: list[int], data: st.DataObject, kind: str) -> None:
    array = (np.random.default_rng(1).normal(0, 50, shape)).astype(kind)
    array = array[tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2, -3]))) for _ in shape)]
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    elements = array.flatten().tolist()
    if array.dtype.kind == "c":
        elements = [part for element in elements for part in (element.real, element.imag)]
    check(complete(scan_array(array)), [int(e) if isinstance(e, bool) else e for e in elements])


@pytest.mark.parametrize("flips", list(itertools.product([1, -1], repeat=2)))
def test_first_offenders_of_reversed_arrays(flips: tuple[int, int]) -> None:
    array = np.zeros((300, 400), np.float32)
    for place in ((7, 3), (7, 399), (250, 0), (299, 399), (0, 20)):
        array[place] = np.nan
    array = array[:: flips[0], :: flips[1]].T
    found = complete(scan_array(array))
    assert found.offenders == {"NaN": [tuple(map(int, place)) for place in np.argwhere(np.isnan(array))[:4]]}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("view", ["dense", "transposed", "strided", "expanded"])
def test_many_blocks(dtype: torch.dtype, view: str) -> None:
    generator = torch.Generator().manual_seed(3)
    tensor = torch.randn(500, 1000, generator=generator)
    places = torch.randint(0, tensor.numel(), (60,), generator=generator)
    tensor.view(-1)[places[:20]] = math.nan
    tensor.view(-1)[places[20:40]] = math.inf
    tensor.view(-1)[places[40:]] = -math.inf
    tensor = tensor.to(dtype)
    tensor = {
        "dense": tensor,
        "transposed": tensor.T,
        "strided": tensor[::2, 1::3],
        "expanded": tensor[None].expand(3, -1, -1).transpose(0, 2),
    }[view]
    found = complete(scan_tensor(tensor))
    check(found, tensor.double().flatten().tolist())
    check_offenders(found, tensor)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_many_blocks_of_integers(dtype: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    values = np.random.default_rng(0).integers(
        limits.min, limits.max, 200_000, np.int64 if limits.min else np.uint64
    )
    tensor = torch.tensor(values.astype(str(dtype).rpartition(".")[2]))
    check(complete(scan_tensor(tensor)), tensor.tolist())


def test_many_blocks_of_bool() -> None:
    tensor = torch.rand(3000, 1000) > 0.9
    for view in (tensor, tensor.T, tensor[:, ::2]):
        check(complete(scan_tensor(view)), [int(element) for element in view.flatten().tolist()])


@pytest.mark.parametrize("size", [100, BLOCK + 100])
@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324, 1e154, 1e-160])
def test_extremes_of_f64(size: int, scale: float) -> None:
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64).repeat(size // 2)
    found = complete(scan_tensor(signs * scale))
    assert found.std is not None
    assert found.mean == 0.0
    assert math.isclose(found.std, scale * math.sqrt(size / (size - 1)), rel_tol=1e-9)


@pytest.mark.parametrize("size", [100, BLOCK * 3 + 100])
@pytest.mark.parametrize("scale", [1e20, 3e38, 1e-25, 1e-40, 1e-45])
def test_extremes_of_f32(size: int, scale: float) -> None:
    signs = torch.tensor([1.0, -1.0]).repeat(size // 2) * scale
    found = complete(scan_tensor(signs))
    exact = signs.double()
    assert found.mean == 0.0
    assert close(found.std, exact.std().item(), exact.std().item())


def test_units_of_f64_mix() -> None:
    values = torch.zeros(400_000, dtype=torch.float64)
    values[:100_000] = 1e-200
    values[100_000:200_000] = 1e200
    values[200_000:300_000] = 3.0
    found = complete(scan_tensor(values))
    assert found.mean is not None
    assert found.std is not None
    assert math.isclose(found.mean, 0.25e200, rel_tol=1e-9)
    assert math.isclose(found.std, 1e200 * math.sqrt(3 / 16), rel_tol=1e-5)


@pytest.mark.parametrize("order", ["zeros first", "values first"])
def test_zeros_beside_values_far_from_zero(order: str) -> None:
    parts = [torch.zeros(300_000), 1e4 + torch.randn(300_000)]
    values = torch.cat(parts if order == "zeros first" else parts[::-1])
    exact = values.double()
    found = complete(scan_tensor(values))
    assert close(found.mean, exact.mean().item(), exact.std().item())
    assert close(found.std, exact.std().item(), exact.std().item())


@pytest.mark.parametrize("size", [1000, 100_000])
def test_huge_and_denormal(size: int) -> None:
    def of(dtype: torch.dtype, value: float) -> Statistics:
        values = torch.ones(size, dtype=dtype)
        values[3] = value
        return complete(scan_tensor(values))

    assert of(torch.float16, 40000.0).huge
    assert of(torch.float16, -40000.0).huge
    assert not of(torch.float16, 30000.0).huge
    assert of(torch.float32, 1e30).huge
    assert of(torch.bfloat16, 1e30).huge
    # What attention masks are filled with is no sign of trouble.
    assert not of(torch.float32, torch.finfo(torch.float32).min).huge
    assert not of(torch.float32, 1e-40).denormal
    assert complete(scan_tensor(torch.full((size,), 1e-40))).denormal
    assert complete(scan_tensor(torch.full((size,), 1e-6, dtype=torch.float16))).denormal
    assert not complete(scan_tensor(torch.zeros(size))).denormal


def test_no_scan_of_what_has_no_numbers() -> None:
    assert scan_array(np.array(["a"])) is None
    assert scan_array(np.array([object()])) is None
    assert scan_array(np.zeros(3, "datetime64[s]")) is None
    assert scan_array(np.zeros(3, "i4,f4")) is None
    assert scan_tensor(torch.empty(3, device="meta")) is None


def test_array_of_a_field_that_is_not_aligned() -> None:
    array = np.zeros(100_000, np.dtype([("a", "u1"), ("b", "<f4")], align=False))
    array["b"][7] = 3.0
    scan = scan_array(array["b"])
    assert scan is None or complete(scan).maximum == 3.0
