"""What a value is, as far as shapes go. Runs none of the user's code."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.contract.messages import ShapeItem, ShapeValue

DEEPEST = 3
MOST_ITEMS = 20


def described(value: Any, depth: int = 0) -> ShapeValue | None:
    """None for what is no tensor and holds none."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        return _tensor(torch, value)
    if kind is torch.SymInt:
        return _value("number", "int", [str(value)], [size_of(value)])
    if depth >= DEEPEST:
        return None
    entries = _entries(kind, value)
    if entries is None:
        return None
    items: list[ShapeItem] = []
    for key, entry in entries[:MOST_ITEMS]:
        item = described(entry, depth + 1)
        if item is not None:
            items.append({"key": key, "value": item})
    if not any(item["value"]["kind"] != "number" for item in items):
        return None
    result = _value("container", kind.__name__, [], [])
    result["items"] = items
    result["length"] = len(entries)
    return result


def size_of(size: Any) -> int:
    """In the traced call; -1 where the data decide it."""
    if type(size) is int:
        return size
    try:
        hint = size.node.hint
        return int(hint) if hint is not None else -1
    except Exception:  # noqa: BLE001  torch's own insides, which change
        return -1


def _tensor(torch: Any, value: Any) -> ShapeValue:
    with torch._C.DisableTorchFunctionSubclass():
        try:
            shape = list(value.shape)
            dtype, device = str(value.dtype).rpartition(".")[2], str(value.device)
        except (RuntimeError, TypeError):  # nested tensors have no shape in common
            shape, dtype, device = [], "", ""
    name = type(value).__name__
    result = _value(
        "tensor",
        "Tensor" if name == "FakeTensor" else name,
        [str(size) for size in shape],
        [size_of(size) for size in shape],
    )
    result["dtype"], result["device"] = dtype, device
    return result


def _entries(kind: type, value: Any) -> list[tuple[str, Any]] | None:
    if kind in (list, tuple, set, frozenset):
        return [(str(position), entry) for position, entry in enumerate(value)]
    if issubclass(kind, tuple) and isinstance(kind.__dict__.get("_fields"), tuple):
        return list(zip(kind.__dict__["_fields"], tuple.__iter__(value)))
    if issubclass(kind, tuple) and kind.__name__ == "PackedSequence":
        return list(zip(("data", "batch_sizes", "sorted_indices", "unsorted_indices"), tuple.__iter__(value)))
    if issubclass(kind, dict):
        # Also the outputs of transformers, which are ordered dicts.
        return [
            (key if type(key) is str else f"{key}" if type(key) is int else type(key).__name__, entry)
            for key, entry in dict.items(value)  # pyright: ignore[reportUnknownVariableType]
        ]
    if "__dataclass_fields__" in kind.__dict__:
        try:
            fields = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return None
        return [(name, fields[name]) for name in kind.__dict__["__dataclass_fields__"] if name in fields]
    return None


def _value(kind: Any, type_name: str, dims: list[str], sizes: list[int]) -> ShapeValue:
    return {
        "kind": kind,
        "type": type_name,
        "dims": dims,
        "sizes": sizes,
        "dtype": "",
        "device": "",
        "items": [],
        "length": 0,
    }
