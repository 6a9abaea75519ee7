"""What a tensor holds, in a few numbers that can leave the copied process."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.probe.tensors.dtypes import element_type
from tensorpeek.probe.tensors.line import number

MOST_ROWS = 64


@dataclass
class Values:
    """Ranges are of the finite elements; `low` and `high` are None where there are none."""

    dtype: str
    shape: tuple[int, ...]
    low: float | None = None
    high: float | None = None
    nan: int = 0
    positive: int = 0
    """Elements that are +inf."""
    negative: int = 0
    zeros: int = 0
    bad_index: tuple[int, ...] = ()
    """Of the first element that is not finite."""
    bad_rows: list[int] = field(default_factory=list)
    """The indices along the first dimension with elements that are not finite; at most 64."""

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def bad(self) -> int:
        return self.nan + self.positive + self.negative

    @property
    def reach(self) -> float:
        """The largest magnitude."""
        return max(abs(self.low or 0.0), abs(self.high or 0.0))

    def line(self) -> str:
        shape = f"[{', '.join(map(str, self.shape))}]" if self.shape else ""
        counts = (("NaN", self.nan), ("+inf", self.positive), ("−inf", self.negative))
        parts = [self.dtype + shape]
        if self.low is not None:
            parts += [f"min {number(self.low)}", f"max {number(self.high)}"]
        parts += [f"{name} {count}" for name, count in counts if count]
        if self.zeros and self.low is not None and self.size > 1:
            parts.append(f"zeros {self.zeros}")
        return "  ".join(parts)


def is_float(value: Any) -> bool:
    torch = sys.modules["torch"]
    return (
        isinstance(value, torch.Tensor)
        and (value.is_floating_point() or value.is_complex())
        and value.layout is torch.strided
        and value.device.type != "meta"
        and not value.is_nested
    )


def storage_of(tensor: Any) -> int:
    """What tensors that share their memory have in common."""
    return tensor.untyped_storage()._cdata


def is_bad(tensor: Any) -> bool:
    """Whether any element of the floating tensor is not finite."""
    if tensor.element_size() == 1:
        tensor = tensor.float()
    if math.isfinite(abs(tensor.sum().item())):
        return False
    return not bool(sys.modules["torch"].isfinite(tensor).all())


def has_nan(tensor: Any) -> bool:
    return bool(sys.modules["torch"].isnan(tensor.float() if tensor.element_size() == 1 else tensor).any())


def values_of(tensor: Any) -> Values:
    torch = sys.modules["torch"]
    tensor = tensor.detach()
    values = Values(element_type(tensor.dtype).name, tuple(tensor.shape))
    if not tensor.numel() or tensor.is_complex():
        return values
    if not tensor.is_floating_point():
        low, high = tensor.to(torch.int64).aminmax()
        values.low, values.high = low.item(), high.item()
        return values
    tensor = tensor.float() if tensor.element_size() < 4 else tensor
    finite = torch.isfinite(tensor)
    values.zeros = int((tensor == 0).sum())
    if bool(finite.all()):
        low, high = tensor.aminmax()
        values.low, values.high = low.item() + 0.0, high.item() + 0.0  # which makes 0 of −0
        return values
    values.nan = int(torch.isnan(tensor).sum())
    values.positive = int((tensor == math.inf).sum())
    values.negative = int((tensor == -math.inf).sum())
    if bool(finite.any()):
        low, high = tensor[finite].aminmax()
        values.low, values.high = low.item(), high.item()
    if tensor.ndim:
        values.bad_index = tuple((~finite).nonzero()[0].tolist())
        by_row = (~finite).reshape(tensor.shape[0], -1).any(1)
        values.bad_rows = by_row.nonzero().flatten()[:MOST_ROWS].tolist()
    return values
