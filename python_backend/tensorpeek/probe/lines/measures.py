"""What the functions of `tp` measure of values. Each reads what it needs and leaves no trace."""

from __future__ import annotations

import math
import sys
import zlib
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.lines.found import NUMBERS, Unusable, is_array, is_tensor, numbers_in
from tensorpeek.probe.lines.reading import blocks_of, single, unobserved
from tensorpeek.probe.tensors.address_view import locate
from tensorpeek.probe.tensors.unwrap import readable

NAN = math.nan
CONSTANT_SHARE_OF = 2
"""Rows from which a unit that never changes says something."""


def norm(*values: Any) -> float:
    """The Euclidean norm of all elements together."""
    squares = 0.0
    with unobserved():
        for block in _blocks(values):
            part = _norm_of(block)
            squares += part * part
    return math.sqrt(squares)


def grad_norm(*values: Any) -> float:
    """The norm of the gradients of all tensors in the values; 0 where there are none."""
    gradients: list[Any] = []
    with unobserved():
        for value in values:
            gradients.extend(
                gradient for gradient in map(_gradient, numbers_in(value)) if gradient is not None
            )
        if not gradients:
            return 0.0
        torch = sys.modules["torch"]
        wide = all(g.dtype in (torch.float32, torch.float64) and not g.is_sparse for g in gradients)
        if (
            wide
            and len({g.device for g in gradients}) == 1
            and not any(type(g) is not torch.Tensor for g in gradients)
        ):
            return float(torch.stack([n.double() for n in torch._foreach_norm(gradients)]).norm().item())
    return norm(gradients)


def _gradient(tensor: Any) -> Any:
    """Without the warning that torch gives for a tensor which keeps none."""
    if not is_tensor(tensor) or not (tensor.is_leaf or tensor.retains_grad):
        return None
    return tensor.grad


def _norm_of(block: Any) -> float:
    if type(block) is list:
        return math.sqrt(sum(number * number for number in block))
    if not is_tensor(block):
        return float(math.sqrt(float((block.astype("f8") ** 2).sum())))
    torch = sys.modules["torch"]
    if not block.dtype.is_floating_point:
        block = block.double()
    dtype = torch.float32 if block.element_size() < 4 else block.dtype
    return float(torch.linalg.vector_norm(block, dtype=dtype).item())


def _blocks(values: tuple[Any, ...]) -> list[Any]:
    return [block for value in values for block in blocks_of(value)]


def bounds(value: Any) -> tuple[float, float]:
    """The smallest and the largest element; both NaN where one is, or where there is none."""
    alone = single(value)
    if alone is not None:
        return alone, alone
    low, high = math.inf, -math.inf
    with unobserved():
        for block in blocks_of(value):
            least, greatest = _bounds_of(block)
            if least != least or greatest != greatest:
                return NAN, NAN
            low, high = min(low, least), max(high, greatest)
    return (low, high) if low <= high else (NAN, NAN)


def _bounds_of(block: Any) -> tuple[float, float]:
    if type(block) is list:
        return (NAN, NAN) if any(number != number for number in block) else (min(block), max(block))
    if not is_tensor(block):
        return float(block.min()), float(block.max())
    torch = sys.modules["torch"]
    if block.dtype is torch.bool:
        block = block.byte()
    low, high = block.aminmax()
    if block.device.type == "cpu":
        return float(low.item()), float(high.item())
    both = torch.stack((low.double(), high.double())).tolist()
    return both[0], both[1]


def nonfinite(*values: Any) -> bool:
    """Whether there is NaN or Inf. A finite sum proves that there is none, at a fraction of the cost."""
    return any(map(_is_nonfinite, values))


def _is_nonfinite(value: Any) -> bool:
    alone = single(value)
    if alone is not None:
        return not math.isfinite(alone)
    with unobserved():
        return any(map(_has_nonfinite, blocks_of(value)))


def _has_nonfinite(block: Any) -> bool:
    if type(block) is list:
        return not all(map(math.isfinite, block))
    if is_tensor(block):
        if not block.dtype.is_floating_point or math.isfinite(_sum(block)):
            return False
    elif block.dtype.kind != "f" or math.isfinite(float(block.sum(dtype="f8"))):
        return False
    return not all(map(math.isfinite, _bounds_of(block)))


def _sum(block: Any) -> float:
    dtype = sys.modules["torch"].float32 if block.element_size() < 4 else block.dtype
    return float(block.sum(dtype=dtype).item())


def outside(value: Any, lo: float, hi: float) -> tuple[float, float] | None:
    """The bounds of a value that has an element below `lo`, above `hi`, or NaN; None for any other."""
    low, high = bounds(value)
    if lo <= low and high <= hi:
        return None
    if low == low:
        return low, high
    with unobserved():
        return (low, high) if blocks_of(value) else None


def shape(value: Any) -> Any:
    """A tuple of sizes; for containers and modules a tuple of shapes, for a number the empty one."""
    cls = type(value)
    if is_tensor(value):
        core = sys.modules["torch"]._C
        with core.DisableTorchFunction():
            return tuple(value.shape)
    if is_array(value):
        return tuple(value.shape)
    if cls in NUMBERS or value is None or raw.is_a(cls, "numpy.generic"):
        return ()
    if reach.is_container(cls):
        parts = value if cls is list or cls is tuple else [child.value for child in reach.parts(value)]
        return (len(parts),) if all(type(part) in NUMBERS for part in parts) else tuple(map(shape, parts))
    return tuple(map(shape, numbers_in(value)))


def dead_share(value: Any) -> float:
    """The share of units that give one value for all rows; with a single row, of elements that are 0."""
    dead, units = 0, 0
    with unobserved():
        for block in blocks_of(value):
            if type(block) is list:
                dead += sum(1 for number in block if number == 0)
                units += len(block)
                continue
            found = _dead_of(block)
            dead += found[0]
            units += found[1]
    return dead / units if units else 0.0


def _dead_of(block: Any) -> tuple[int, int]:
    rows = block.shape[0] if len(block.shape) > 1 else 1
    if rows < CONSTANT_SHARE_OF:
        still = block == 0
    elif is_tensor(block):
        still = (block == block[:1]).all(0)
    else:
        still = (block == block[:1]).all(axis=0)
    if is_tensor(block):
        return int(still.sum().item()), still.numel()
    return int(still.sum()), int(still.size)


def fingerprint(value: Any) -> tuple[Any, ...]:
    """Equal for values with the same elements, and hardly ever for others."""
    marks: list[Any] = []
    with unobserved():
        for each in numbers_in(value):
            if type(each) in NUMBERS:
                marks.append(repr(each))
            elif is_tensor(each):
                marks.append((tuple(each.shape), str(each.dtype), _mark(each)))
            else:
                marks.append((each.shape, each.dtype.str, zlib.crc32(each.tobytes())))
    return tuple(marks)


def _mark(tensor: Any) -> Any:
    """A checksum of the bytes; on a device, sums that hardly any change of elements leaves as they are."""
    found = readable(tensor)
    inner = found.tensor
    if inner is not None:
        memory = locate(inner)
        if not isinstance(memory, str) and not memory.dense:
            inner = inner.contiguous()
            memory = locate(inner)
        if isinstance(memory, str):
            raise Unusable(f"a tensor can't be read: {memory}")
        return zlib.crc32(memory.view()) if memory.size else 0
    torch = sys.modules["torch"]
    wide = torch.cat([block.double().reshape(-1) for block in blocks_of(tensor)] or [torch.zeros(0)])
    wave = torch.arange(wide.numel(), device=wide.device, dtype=wide.dtype).mul_(0.618).sin_()
    return tuple(torch.stack((wide.sum(), (wide * wide).sum(), (wide * wave).sum())).tolist())
