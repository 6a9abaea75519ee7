"""What names and calls of some files give while they run as they are: the record that a trace is judged by.

It shares no code with the traces. Names are what `sys.settrace` sees appear in the locals of a frame; calls
are what torch's functions give to a TorchFunctionMode, and Python's functions return, in the place that the
calling frame's instruction has in the text (`co_positions`, so Python 3.11 or newer).
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

Shape = tuple[Any, ...]
"""The sizes of a tensor, or `(class, (key, shape), …)` of what holds tensors."""
Span = tuple[int, int, int, int]
Name = tuple[str, int, str]
"""File, the line of what is bound, and its name."""
DEEPEST = 3
RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class EagerRecord:
    """Records while it is entered."""

    def __init__(self, paths: Collection[str]) -> None:
        self.names: dict[Name, set[Shape]] = defaultdict(set)
        self.calls: dict[tuple[str, Span], set[Shape]] = defaultdict(set)
        self._texts = {path: _Text(path) for path in paths}
        self._seen: dict[FrameType, dict[str, Any]] = {}
        self._lines: dict[FrameType, int] = {}
        self._positions: dict[CodeType, list[Any]] = {}
        self._mode = _Mode(self)
        self._before: Any = None

    def __enter__(self) -> EagerRecord:
        self._mode.__enter__()
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *raised: Any) -> None:
        sys.settrace(self._before)
        self._mode.__exit__(*raised)
        self._seen.clear()

    def gave(self, frame: FrameType | None, value: Any, by: str = "") -> None:
        """The expression that a frame is evaluating gave a value; `by` a function of this name."""
        if frame is None or frame.f_code.co_filename not in self._texts:
            return
        path, code = frame.f_code.co_filename, frame.f_code
        if code not in self._positions:
            self._positions[code] = list(code.co_positions()) if sys.version_info >= (3, 11) else []
        index = frame.f_lasti // 2
        if index >= len(self._positions[code]):
            return
        line, end_line, column, end_column = self._positions[code][index]
        span = line, column, end_line, end_column
        shape = shape_of(value)
        # An instruction that unpacks or iterates calls functions as well, which aren't written there.
        kind = self._texts[path].spans.get(span)
        # `hasattr` fetches an attribute too, and gives something else.
        is_its_own = kind is not None and (by != "__getattr__" or kind is ast.Attribute)
        if shape is not None and is_its_own:
            self.calls[path, span].add(shape)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        caller = frame.f_back
        if frame.f_code.co_filename in self._texts:
            if frame not in self._seen:
                self._seen[frame] = {}
                self._bound(frame, None)
            self._lines[frame] = frame.f_lineno
            return self._in_users_frame
        is_called_by_user = caller is not None and caller.f_code.co_filename in self._texts
        if is_called_by_user and frame.f_code.co_filename != __file__ and not _is_resumed(frame):
            frame.f_trace_lines = False
            return self._in_other_frame
        return None

    def _in_users_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._bound(frame, self._lines[frame])
        self._lines[frame] = frame.f_lineno
        if event == "return" and not _is_resumed(frame):
            self.gave(frame.f_back, argument)
        return self._in_users_frame

    def _in_other_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self.gave(frame.f_back, argument, frame.f_code.co_name)
        return self._in_other_frame

    def _bound(self, frame: FrameType, line: int | None) -> None:
        """What is new since the last time; without a line, the arguments."""
        seen, code = self._seen[frame], frame.f_code
        text = self._texts[code.co_filename]
        for name, value in frame.f_locals.items():
            if name.startswith(".") or name in code.co_freevars or (name in seen and seen[name] is value):
                continue
            seen[name] = value
            shape = shape_of(value)
            at = text.arguments.get((code.co_firstlineno, name)) if line is None else line
            if shape is not None and at is not None:
                self.names[code.co_filename, at, name].add(shape)


class _Mode(TorchFunctionMode):
    def __init__(self, record: EagerRecord) -> None:
        super().__init__()
        self._record = record

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        value = func(*args, **(kwargs or {}))
        self._record.gave(sys._getframe(1), value)
        return value


class _Text:
    """Where the expressions of a file are, and its functions' arguments."""

    def __init__(self, path: str) -> None:
        tree = ast.parse(Path(path).read_bytes(), path)
        self.spans: dict[Span, type[ast.AST]] = {}
        """Each with what stands there."""
        self.arguments: dict[tuple[int, str], int] = {}
        """Line, by the first line of the function and the name."""
        for node in ast.walk(tree):
            is_read = not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
            if isinstance(node, (ast.expr, ast.AugAssign)) and is_read:
                span = node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
                self.spans[span] = type(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
                for argument in ast.walk(node.args):
                    if isinstance(argument, ast.arg):
                        self.arguments[first, argument.arg] = argument.lineno


def shape_of(value: Any, depth: int = 0) -> Shape | None:
    """None of what is no tensor and holds none."""
    if isinstance(value, torch.Tensor):
        with torch._C.DisableTorchFunction():
            return tuple(value.shape)
    if depth >= DEEPEST:
        return None
    held: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        held = [(str(key), entry) for key, entry in value.items()]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        held = list(zip(value._fields, value, strict=True))
    elif isinstance(value, (tuple, list)):
        names = [name for name in dir(type(value)) if not name.startswith("_")]
        is_of_torch = type(value).__module__ == "torch.return_types"
        fields = {id(getattr(value, name)): name for name in names} if is_of_torch else {}
        held = [(fields.get(id(entry), str(position)), entry) for position, entry in enumerate(value)]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    shapes = [(key, shape) for key, entry in held if (shape := shape_of(entry, depth + 1)) is not None]
    return (type(value).__name__, *shapes) if shapes else None


def _is_resumed(frame: FrameType) -> bool:
    """What a generator's frame returns is not what its call gave."""
    return bool(frame.f_code.co_flags & RESUMED)
