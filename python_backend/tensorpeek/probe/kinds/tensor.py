"""Tensors: the line, and what is under it."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe import pydevd_access, raw
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import group, values_label
from tensorpeek.probe.kinds.stats import Stats
from tensorpeek.probe.kinds.tensor_row import TensorRow, present_tensor, rows_of
from tensorpeek.probe.presentation import Group, Text
from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.statistics.tensor_scan import AnyScan, open_scan
from tensorpeek.probe.tensors.facts import TensorFacts, tensor_facts
from tensorpeek.probe.tensors.unwrap import alias, readable

_ATTRIBUTES = (
    "shape",
    "dtype",
    "device",
    "layout",
    "requires_grad",
    "is_leaf",
    "retains_grad",
    "output_nr",
    "_backward_hooks",
    "_post_accumulate_grad_hooks",
)
"""Reading any of these warns of nothing and changes nothing."""


class TensorKind:
    """`torch.Tensor` and its subclasses."""

    presentation_kind: PresentationKind = "tensor"

    def matches(self, cls: type) -> bool:
        torch = sys.modules.get("torch")
        tensor = getattr(torch, "Tensor", None)
        return tensor is not None and issubclass(cls, tensor)

    def scan(self, value: Any) -> AnyScan | None:
        return scan_tensor(value)

    def present(self, value: Any, scan: AnyScan | None) -> Presentation | None:
        return present_tensor(tensor_facts(value), scan)

    def children(self, value: Any) -> list[Child] | None:
        facts = tensor_facts(value)
        rows: list[Child] = []
        if not facts.why_no_data and facts.size:
            rows.append(Child("stats", Stats(lambda: open_scan(value)), ""))
        rows.extend(_autograd(value))
        rows.extend(_contents(value, facts))
        rows.append(
            Child("storage", _storage(value, facts) if facts.storage else Text(_no_storage(facts)), "")
        )
        rows.append(group("all attributes", lambda: _attributes(value), label="shape, dtype, device, …"))
        return rows


def _autograd(tensor: Any) -> list[Child]:
    core = sys.modules["torch"]._C
    rows: list[Child] = []
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        # Asking a tensor that is neither for its gradient makes torch warn.
        if tensor.is_leaf or tensor.retains_grad:
            gradient = tensor.grad
            if gradient is not None or tensor.requires_grad:
                rows.append(Child("grad", gradient, ".grad"))
        if not tensor.is_leaf:
            rows.append(Child("grad_fn", tensor.grad_fn, ".grad_fn"))
    return rows


def _contents(tensor: Any, facts: TensorFacts) -> list[Child]:
    found = readable(tensor)
    inner = found.tensor
    if found.on_device is not None:
        return [Child("values", Text(f"on {facts.device}, and not copied from there"), "")]
    if inner is None:
        return []
    if facts.layout == "strided" and not found.through:
        if not facts.shape:
            return []
        label = values_label(facts.shape, facts.dtype)
        return [group("values", lambda: rows_of(TensorRow(inner)), label=label)]
    rows = [Child(found.through[-1] if found.through else "values", inner)]
    if facts.layout == "sparse_coo":
        rows.insert(0, Child("indices", alias(tensor, "_indices"), "._indices()"))
    return rows


def _no_storage(facts: TensorFacts) -> str:
    return facts.why_no_data or "empty"


def _storage(tensor: Any, facts: TensorFacts) -> Group:
    def make() -> list[Child]:
        whole = facts.size == 0 or facts.bytes == facts.storage_bytes
        rows = [
            Child("bytes", Text(f"{facts.storage_bytes:,}")),
            Child("offset", Text(str(facts.storage_offset))),
            Child("stride", Text(str(tuple(facts.strides)))),
            Child("contiguous", Text(str(facts.contiguous))),
            Child("covers", Text("the whole storage" if whole else f"{facts.bytes:,} bytes of it")),
            Child("address", Text(facts.storage.rpartition(" ")[2])),
        ]
        names = _sharing(tensor, facts.storage)
        if names:
            rows.append(Child("shared with", Text(", ".join(names))))
        base = _base(tensor)
        return rows if base is None else [*rows, Child("view of", base, "._base")]

    return Group(f"{facts.storage_bytes:,} bytes", make)


def _sharing(tensor: Any, storage: str) -> list[str]:
    """The names, where the program is paused, of the other tensors in the same memory."""
    named = pydevd_access.paused_names().items()
    tensors = ((name, each) for name, each in named if raw.is_a(type(each), "torch.Tensor"))
    return [name for name, each in tensors if each is not tensor and tensor_facts(each).storage == storage]


def _base(tensor: Any) -> Any:
    """The tensor that this one is a view of, None where torch keeps none."""
    core = sys.modules["torch"]._C
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        return _attribute(tensor, "_base") if tensor._is_view() else None


def _attributes(tensor: Any) -> list[Child]:
    core = sys.modules["torch"]._C
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        rows = [Child(name, _attribute(tensor, name), f".{name}") for name in _ATTRIBUTES]
    own: dict[str, Any] = object.__getattribute__(tensor, "__dict__")
    rows.extend(Child(name, value, f".{name}") for name, value in sorted(own.items()))
    return rows


def _attribute(tensor: Any, name: str) -> object:
    try:
        return getattr(tensor, name)
    except Exception as error:  # noqa: BLE001  a subclass may define any of them as anything
        return Text(f"{type(error).__name__}: {error}")
