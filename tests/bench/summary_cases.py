"""The tensors that are summarized, and what each contender does with one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from report import OURS

from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.statistics import Statistics, scan_tensor
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.tensors.line import tensor_line

NUMBERS = "the numbers alone"
LOVELY = "lovely-tensors"
TORCH = "torch min, max, mean, isnan"
SUM = "torch.sum"

SIDE = 3162
"""A square of this side has 1e7 elements."""


@dataclass(frozen=True)
class Case:
    """One tensor to summarize."""

    name: str
    make: Callable[[], torch.Tensor]
    size: float


def _square() -> torch.Tensor:
    return torch.randn(SIDE, SIDE)


CASES = (
    Case("f32, 1e3", lambda: torch.randn(1000), 1e3),
    Case("f32, 1e6", lambda: torch.randn(1_000_000), 1e6),
    Case("f32, 1e8", lambda: torch.randn(100_000_000), 1e8),
    Case("bf16, 1e7", lambda: torch.randn(10_000_000).bfloat16(), 1e7),
    Case("f16, 1e7", lambda: torch.randn(10_000_000).half(), 1e7),
    Case("i64, 1e7", lambda: torch.randint(-1000, 1000, (10_000_000,)), 1e7),
    Case("u8, 1e7", lambda: torch.randint(0, 256, (10_000_000,), dtype=torch.uint8), 1e7),
    Case("bool, 1e7", lambda: torch.rand(10_000_000) > 0.5, 1e7),
    Case("f32 transposed, 1e7", lambda: _square().T, 1e7),
    Case("f32 every second column, 5e6", lambda: _square()[:, ::2], 5e6),
    Case("f32 expanded, 1e7", lambda: torch.randn(SIDE, 1).expand(SIDE, SIDE), 1e7),
)


def numbers(tensor: torch.Tensor) -> Statistics:
    """Minimum, maximum, mean, std, and how many are NaN, +Inf, −Inf, zero."""
    scan = scan_tensor(tensor)
    assert scan is not None
    scan.advance(Deadline.never())
    statistics = scan.statistics
    assert statistics.exact
    return statistics


def line(tensor: torch.Tensor) -> str:
    """The line that the Variables view shows."""
    return tensor_line(tensor_facts(tensor), numbers(tensor))[1]


def lovely(tensor: torch.Tensor) -> str:
    from lovely_tensors import lovely

    return str(lovely(tensor))


def torch_numbers(tensor: torch.Tensor) -> list[float]:
    """What one types by hand. torch takes the mean of floats only, so that others are converted first."""
    floating = tensor if tensor.is_floating_point() else tensor.float()
    return [tensor.min().item(), tensor.max().item(), floating.mean().item(), tensor.isnan().sum().item()]


CONTENDERS: dict[str, Callable[[torch.Tensor], object]] = {
    OURS: line,
    NUMBERS: numbers,
    LOVELY: lovely,
    TORCH: torch_numbers,
    SUM: lambda tensor: tensor.sum().item(),
}
