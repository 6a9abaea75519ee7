"""Names for the tensors that were there before the step: of the batch, the model, the user's variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tensorpeek.probe.replay.values import is_bad, is_float

MOST_PARTS = 200
DEEPEST = 3


def tensors_in(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The floating tensors in a value, with the expressions that lead to them."""
    if is_float(value):
        yield name, value
    elif depth < DEEPEST:
        for suffix, part in _parts(value):
            yield from tensors_in(part, name + suffix, depth + 1)


def bad_tensors_in(value: Any, name: str) -> list[tuple[str, Any]]:
    return [(path, tensor) for path, tensor in tensors_in(value, name) if is_bad(tensor)]


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        named = getattr(value, "_fields", None)
        for i, part in enumerate(value[:MOST_PARTS]):
            yield (f".{named[i]}" if named else f"[{i}]"), part
    elif isinstance(value, Mapping):
        for key in list(value)[:MOST_PARTS]:
            yield f"[{key!r}]", value[key]
    elif is_dataclass(value):
        for field in fields(value):
            yield f".{field.name}", getattr(value, field.name, None)


def weights_of(module: Any) -> Iterator[tuple[str, Any]]:
    """The parameters and buffers of a module, by name."""
    if module is not None:
        yield from module.named_parameters()
        yield from module.named_buffers()


def path_in(root: Any, module: Any) -> str:
    """A module's path in the model; empty for the model itself and for a stranger."""
    if module is None or root is None:
        return ""
    return next((name for name, one in root.named_modules() if one is module), "")
