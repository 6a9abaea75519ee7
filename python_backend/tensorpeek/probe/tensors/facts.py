"""What a tensor is, beside the numbers in it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from tensorpeek.probe.tensors.address_view import locate, storage_address
from tensorpeek.probe.tensors.dtypes import element_type
from tensorpeek.probe.tensors.unwrap import readable


@dataclass
class TensorFacts:
    """Read without dispatching an operation; what could not be read has its empty value."""

    type_name: str = "Tensor"
    shape: tuple[Any, ...] = ()
    """Sizes; a symbolic one of a traced tensor is the text of its symbol."""
    dtype: str = "?"
    """Short, as in `f32`."""
    device: str = ""
    """As torch prints it, as in `cuda:0`."""
    layout: str = "strided"
    """As torch names it, as in `sparse_coo`; `nested` for nested tensors."""
    flags: list[str] = field(default_factory=list)
    """What is out of the ordinary, in the order it is worth reading: `grad`, `param`, `vmap`, `inference`…"""
    strides: tuple[int, ...] = ()
    """In elements; empty where the layout has none."""
    contiguous: bool = True
    item_bytes: int = 0
    size: int = 0
    """Elements in all; stored values only of sparse tensors."""
    storage: str = ""
    """The same text for tensors that share one storage."""
    storage_bytes: int = 0
    storage_offset: int = 0
    """In elements."""
    parts: int = 1
    """Numbers per element: 2 for complex."""
    quantized: bool = False
    why_no_data: str = ""
    """Why no element can be read, in a few words."""

    @property
    def bytes(self) -> int:
        """Bytes of the elements seen through this tensor."""
        return self.size * self.item_bytes


def tensor_facts(tensor: Any) -> TensorFacts:
    """The facts of any tensor. Never raises: what fails becomes `why_no_data`."""
    facts = TensorFacts(type(tensor).__name__)
    try:
        core = sys.modules["torch"]._C
        with core.DisableTorchFunction(), core._DisableTorchDispatch():
            _read_head(tensor, facts)
            _read_contents(tensor, facts)
    except Exception as error:  # noqa: BLE001  a tensor in any state must still get a line
        facts.why_no_data = facts.why_no_data or f"{type(error).__name__} while reading"
    return facts


def _read_head(tensor: Any, facts: TensorFacts) -> None:
    element = element_type(tensor.dtype)
    facts.dtype = element.name
    facts.parts = element.parts
    facts.quantized = element.quantized
    facts.device = str(tensor.device)
    facts.layout = "nested" if tensor.is_nested else str(tensor.layout).rpartition(".")[2].lstrip("_")
    facts.shape = _nested_shape(tensor) if facts.layout == "nested" else _shape(tensor)
    facts.item_bytes = tensor.element_size()
    facts.size = _size(tensor)
    if tensor.requires_grad:
        facts.flags.append("grad")
    if facts.type_name == "Parameter":
        facts.flags.append("param")


def _read_contents(tensor: Any, facts: TensorFacts) -> None:
    found = readable(tensor)
    facts.flags.extend(level for level in found.through if level != "values")
    if tensor.is_inference():
        facts.flags.append("inference")
    if tensor.is_neg():
        facts.flags.append("neg")
    if tensor.is_conj():
        facts.flags.append("conj")
    if facts.quantized:
        facts.flags.append(_scale(tensor))
    facts.why_no_data = found.why_not
    inner = found.on_device if found.tensor is None else found.tensor
    if inner is not None:
        if facts.layout != "strided":
            facts.size = inner.numel()
        _read_storage(inner, facts)
    if found.tensor is not None:
        memory = locate(found.tensor)
        if isinstance(memory, str):
            facts.storage = ""
            facts.why_no_data = facts.why_no_data or memory
    if element_type(tensor.dtype).kernel is None and not facts.why_no_data:
        facts.why_no_data = "no statistics"


def _shape(tensor: Any) -> tuple[Any, ...]:
    try:
        return tuple(size if type(size) is int else str(size) for size in tensor.shape)
    except RuntimeError:
        # A lazy module's parameter has no shape yet.
        return ()


def _nested_shape(tensor: Any) -> tuple[Any, ...]:
    try:
        return tuple(size if type(size) is int else "*" for size in tensor.shape)
    except RuntimeError:
        # Strided nested tensors have a size per component and none of their own.
        return (tensor.size(0), *("*" for _ in range(tensor.dim() - 1)))


def _scale(tensor: Any) -> str:
    """How the stored integers, which is what the statistics are of, stand for real numbers."""
    try:
        return f"scale {tensor.q_scale():.4g} zero {tensor.q_zero_point()}"
    except RuntimeError:
        return "scaled per channel"


def _size(tensor: Any) -> int:
    try:
        size = tensor.numel()
    except RuntimeError:
        return 0
    return size if type(size) is int else 0


def _read_storage(inner: Any, facts: TensorFacts) -> None:
    """On any device: nothing of its memory is touched."""
    storage = inner.untyped_storage()
    facts.storage_bytes = storage.nbytes()
    facts.storage_offset = inner.storage_offset()
    facts.strides = inner.stride()
    facts.contiguous = inner.is_contiguous()
    address = storage_address(inner, storage)
    if address and facts.size:
        facts.storage = f"{facts.device} {address:#x}"
