"""What a value is, as far as shapes go. Runs none of the user's code."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from itertools import islice
from types import MemberDescriptorType
from typing import Any

from tensorpeek.contract.messages import ShapeItem, ShapeValue
from tensorpeek.probe.raw import attributes

DEEPEST = 3
MOST_ITEMS = 20
MOST_ENTRIES = 200
"""Values within one value, at all depths together."""


def described(value: Any) -> ShapeValue | None:
    """None for what is no tensor and holds none."""
    return _described(value, 0, [MOST_ENTRIES])


def _described(value: Any, depth: int, room: list[int]) -> ShapeValue | None:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    room[0] -= 1
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        return tensor(value)
    if kind is torch.SymInt:
        return _value("number", "int", [str(value)], [size_of(value)])
    if depth >= DEEPEST:
        return None
    held = entries(kind, value)
    if held is None:
        return None
    items: list[ShapeItem] = []
    for key, entry in held:
        if room[0] <= 0:
            break
        item = None if type(entry) in (int, float, str, bool) else _described(entry, depth + 1, room)
        if item is not None:
            items.append({"key": key, "value": item})
    if not any(item["value"]["kind"] != "number" for item in items):
        return None
    result = _value("container", kind.__name__, [], [])
    result["items"] = items
    result["length"] = _length(kind, value, len(held))
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


def tensor(value: Any) -> ShapeValue:
    """Asks the tensor itself, below its class's functions and the modes that are active."""
    torch = sys.modules["torch"]
    base = torch._C.TensorBase
    with torch._C.DisableTorchFunction():
        try:
            shape = list(base.shape.__get__(value))
            dtype, device = str(base.dtype.__get__(value)).rpartition(".")[2], str(base.device.__get__(value))
        except (RuntimeError, TypeError):  # nested tensors have no shape in common
            shape, dtype, device = [], "", ""
    name = type(value).__name__
    return of_facts("Tensor" if name == "FakeTensor" else name, shape, dtype, device)


def of_facts(name: str, shape: Sequence[Any], dtype: str, device: str) -> ShapeValue:
    """Of a tensor, by its class's name."""
    result = _value("tensor", name, [str(size) for size in shape], [size_of(size) for size in shape])
    result["dtype"], result["device"] = dtype, device
    return result


def entries(kind: type, value: Any) -> list[tuple[str, Any]] | None:
    """The first of what a container holds, by the methods of Python's own classes; None for other values."""
    if issubclass(kind, dict):
        # Also the outputs of transformers, which are ordered dicts.
        return [
            (key if type(key) is str else f"{key}" if type(key) is int else type(key).__name__, entry)
            for key, entry in islice(dict.items(value), MOST_ITEMS)  # pyright: ignore[reportUnknownVariableType]
        ]
    for base in (tuple, list, set, frozenset, deque):
        if issubclass(kind, base):
            held = list(islice(base.__iter__(value), MOST_ITEMS))
            return list(zip(_field_names(kind, value, len(held)), held))
    fields = _dataclass_fields(kind)
    if fields is None:
        return None
    own = attributes(value)
    return [(name, own[name]) for name in islice(fields, MOST_ITEMS) if name in own]


def _length(kind: type, value: Any, held: int) -> int:
    bases = (dict, tuple, list, set, frozenset, deque)
    return next((base.__len__(value) for base in bases if issubclass(kind, base)), held)


def _field_names(kind: type, value: Any, count: int) -> list[str]:
    """Of a named tuple, also of those that torch returns; else the positions."""
    positions = [str(position) for position in range(count)]
    if not issubclass(kind, tuple) or kind is tuple:
        return positions
    for base in type.__getattribute__(kind, "__mro__"):
        names = type.__getattribute__(base, "__dict__").get("_fields")
        if type(names) is tuple and len(names) >= count:
            return [str(name) for name in names[:count]]
    if kind.__module__ == "torch.return_types":
        # The n-th field of a structure of C's is a member that fetches the n-th entry.
        members = type.__getattribute__(kind, "__dict__")
        fetched = {id(entry): position for position, entry in enumerate(tuple.__iter__(value))}
        for name, member in members.items():
            if type(member) is MemberDescriptorType:
                position = fetched.get(id(member.__get__(value)))
                if position is not None:
                    positions[position] = name
    return positions


def _dataclass_fields(kind: type) -> dict[str, Any] | None:
    for base in type.__getattribute__(kind, "__mro__"):
        fields = type.__getattribute__(base, "__dict__").get("__dataclass_fields__")
        if type(fields) is dict:
            return fields
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
