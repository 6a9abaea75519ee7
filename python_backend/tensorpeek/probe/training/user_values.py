"""The tensors that a frame of the user's can name, without keeping any of them alive."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import is_users_code

MOST_PARTS = 50
"""Of one list or dictionary."""
MOST_FRAMES = 20
OPTIMIZED = 0x1
"""The flag of code whose locals are not in a dictionary of their own."""


def locals_of(frame: FrameType) -> dict[str, Any]:
    """The frame's names, as they are now."""
    names = frame.f_locals
    found = dict(names)
    if frame.f_code.co_flags & OPTIMIZED and sys.version_info < (3, 13):
        # Until then Python keeps the copy in the frame, and with it each tensor that the program lets go.
        names.clear()
    return found


def value_of(frame: FrameType, expression: str) -> Any:
    """Of a name or a dotted name in the frame; `raw.MISSING` where there is none. Runs no code."""
    first, *rest = expression.split(".")
    names = locals_of(frame)
    value = names.get(first, frame.f_globals.get(first, raw.MISSING))
    for name in rest:
        if value is raw.MISSING:
            break
        value = attribute(value, name)
    return value


def attribute(value: Any, name: str) -> Any:
    """As the program would find it, of a module also what it registered."""
    own = raw.attributes(value)
    if name in own:
        return own[name]
    for table in ("_parameters", "_buffers", "_modules"):
        registered = own.get(table)
        if isinstance(registered, dict) and name in registered:
            return registered[name]
    return raw.MISSING


def is_tensor(value: Any) -> bool:
    return raw.is_a(type(value), "torch.Tensor")


def user_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and those of the user's that called it."""
    for _ in range(MOST_FRAMES):
        if frame is None:
            return
        if is_users_code(frame.f_code):
            yield frame
        frame = frame.f_back


def named_tensors(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Every tensor of the user's frames from this one up: in names, attributes of objects, lists and
    tuples.
    """
    for each in user_frames(frame):
        for name, value in locals_of(each).items():
            yield from tensors_under(name, value)


def tensors_under(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """A name's tensor, or those one or two steps below it, with their expressions."""
    if is_tensor(value):
        yield name, value
    elif depth >= 2 or value is None or isinstance(value, (str, bytes, int, float)):
        return
    elif type(value) in (list, tuple):
        for index, part in enumerate(value[:MOST_PARTS]):
            yield from tensors_under(f"{name}[{index}]", part, depth + 1)
    elif type(value) is dict:
        for key, part in list(value.items())[:MOST_PARTS]:
            yield from tensors_under(f"{name}[{key!r}]", part, depth + 1)
    elif _is_users_object(value):
        for key, part in list(raw.attributes(value).items())[:MOST_PARTS]:
            yield from tensors_under(f"{name}.{key}", part, depth + 1)


def _is_users_object(value: Any) -> bool:
    cls = type(value)
    return cls is not type and not isinstance(value, type) and source.is_users_class(cls)


def operands(frame: FrameType, node: ast.AST) -> list[tuple[str, Any]]:
    """The tensors that an expression names, by their text, each once; parts of longer names are left out."""
    found: dict[str, Any] = {}
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, (ast.Name, ast.Attribute)):
            text = source.text(part)
            value = value_of(frame, text) if text.replace(".", "").isidentifier() else raw.MISSING
            if value is not raw.MISSING and is_tensor(value):
                found[text] = value
                continue
        waiting.extend(ast.iter_child_nodes(part))
    return list(found.items())
