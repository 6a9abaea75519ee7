"""One number of a value, read without a trace in the program.

On a device each reading waits for the device once; a line condition has to know before the line runs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any

from tensorpeek.probe.lines.found import NUMBERS, Unusable, is_tensor, numbers_in
from tensorpeek.probe.tensors.unwrap import readable

_plain: list[type] = []
"""`torch.Tensor` and `Parameter`, once torch is imported."""


def number(value: Any) -> float:
    """The one number that it is; of more elements, their mean. Raises Unusable."""
    found = single(value)
    return mean(value) if found is None else found


def single(value: Any) -> float | None:
    """The number of what is one plainly, and can be read at once without being noticed; None for the rest."""
    cls = type(value)
    if cls is float or cls is int:
        return _real(value)
    if cls in _plain or _is_plain(cls):
        core = sys.modules["torch"]._C
        if not core._len_torch_dispatch_stack() and not _is_intercepted(core) and value.numel() == 1:
            if value.is_cuda:
                refuse_while_capturing()
            try:
                return _real(value.item())
            except RuntimeError:  # inside vmap, on a meta device: read as every other tensor
                return None
    return None


def refuse_while_capturing() -> None:
    """Waiting for the device would spoil a graph of the program's that is being captured."""
    if sys.modules["torch"].cuda.is_current_stream_capturing():
        raise Unusable("a tensor can't be read while its stream is being captured")


def _is_plain(cls: type) -> bool:
    torch = sys.modules.get("torch")
    tensor, nn = getattr(torch, "Tensor", None), getattr(torch, "nn", None)
    if tensor is None or nn is None:
        return False
    _plain[:] = [tensor, nn.Parameter]
    return cls in _plain


def _is_intercepted(core: Any) -> bool:
    return core._is_torch_function_mode_enabled()


def _real(value: Any) -> float:
    try:
        return abs(value) if type(value) is complex else float(value)
    except OverflowError:  # of an int, or of the two parts of a complex number
        return -math.inf if type(value) is int and value < 0 else math.inf


@contextmanager
def unobserved() -> Generator[None]:
    """Modes, hooks and the graph see nothing of what torch does meanwhile, and NumPy warns of nothing."""
    torch: Any = sys.modules.get("torch")
    numpy: Any = sys.modules.get("numpy")
    errors = numpy.errstate(all="ignore") if hasattr(numpy, "errstate") else nullcontext()
    with errors:
        if torch is None:
            yield
            return
        core = torch._C
        with core.DisableTorchFunction(), core._DisableTorchDispatch(), core._AutoDispatchBelowAutograd():
            yield


def blocks_of(value: Any) -> list[Any]:
    """Tensors and arrays of real numbers that hold all its elements. Raises Unusable.

    To be called, and what it gives to be used, while `unobserved`. Plain numbers come together in one list.
    """
    blocks: list[Any] = []
    plain: list[float] = []
    for each in numbers_in(value):
        if type(each) in NUMBERS:
            plain.append(_real(each))
        elif is_tensor(each):
            blocks.append(_tensor(each))
        elif each.dtype.kind not in "biufc":
            raise Unusable(f"an array of {each.dtype} has no numbers")
        else:
            blocks.append(abs(each) if each.dtype.kind == "c" else each)
    if plain:
        blocks.append(plain)
    return [block for block in blocks if _length(block)]


def _tensor(tensor: Any) -> Any:
    torch = sys.modules["torch"]
    found = readable(tensor)
    inner = found.tensor if found.tensor is not None else found.on_device
    if inner is None:
        raise Unusable(f"a tensor can't be read: {found.why_not}")
    if inner.is_cuda:
        refuse_while_capturing()
    if inner.is_quantized:
        inner = inner.dequantize()
    if inner.is_complex():
        return torch.view_as_real(inner.resolve_conj()).norm(dim=-1)
    # Eight-bit floats have no arithmetic of their own.
    return inner.float() if inner.dtype.is_floating_point and inner.element_size() == 1 else inner


def _length(block: Any) -> int:
    if type(block) is list:
        return len(block)
    return block.numel() if is_tensor(block) else block.size


def mean(value: Any) -> float:
    """NaN where there is no element."""
    total, count = 0.0, 0
    with unobserved():
        for block in blocks_of(value):
            length = _length(block)
            if type(block) is list:
                total += sum(block)
            elif is_tensor(block):
                total += block.mean(dtype=sys.modules["torch"].float64).item() * length
            else:
                total += float(block.mean(dtype="f8")) * length
            count += length
    return total / count if count else float("nan")
