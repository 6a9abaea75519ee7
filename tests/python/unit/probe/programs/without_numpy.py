"""Compares statistics with plain Python where there is no numpy."""

from __future__ import annotations

import math
import statistics
import sys

from every_dtype import tensors, torch

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.tensor import TensorKind
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.statistics import scan_tensor


def check(tensor: torch.Tensor) -> None:
    plain = tensor.float() if tensor.dtype.itemsize == 1 and tensor.dtype.is_floating_point else tensor
    elements = plain.flatten().tolist()
    if tensor.dtype.is_complex:
        elements = [part for element in elements for part in (element.real, element.imag)]
    scan = scan_tensor(tensor)
    assert scan is not None
    scan.advance(Deadline.never())
    found = scan.statistics
    finite = [element for element in elements if math.isfinite(element)]
    assert found.exact
    assert found.count == len(elements)
    assert found.nan == sum(element != element for element in elements)
    assert found.positive_infinite == elements.count(math.inf)
    assert found.negative_infinite == elements.count(-math.inf)
    assert found.zeros == finite.count(0)
    assert (found.minimum, found.maximum) == (min(finite), max(finite)), (found, tensor.dtype)
    assert math.isclose(found.mean or 0, math.fsum(finite) / len(finite), abs_tol=1e-9)
    assert math.isclose(found.std or 0, statistics.stdev(map(float, finite)), rel_tol=1e-9)


def expand(tensor: torch.Tensor) -> None:
    for child in TensorKind().children(tensor) or []:
        if isinstance(child.value, Group):
            child.value.make_children()


for made in tensors(20_000):
    check(made[..., :300])
    expand(made)
check(torch.tensor([[1.0, math.nan], [math.inf, 0.0], [-math.inf, 7.0]]).T)
check(torch.tensor([[1 + 2j, 3 - 4j]]).conj())
check(torch.tensor([[1 + 2j, 3 - 4j]]).conj().imag)
check(torch.tensor([1 << 62, (1 << 62) + 1, -5]))
assert "numpy" not in sys.modules
sys.stdout.write("right without numpy\n")
