"""The operation that failed: the user's frames, the expression in them, and the library's frames below."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Failure
from tensorpeek.probe.training.places import Place, is_users_code
from tensorpeek.probe.training.tracebacks import users_frames
from tensorpeek.probe.training.user_values import locals_of, value_of

Span = tuple[int, int, int, int]
"""First line, last line, first and last column in bytes, as Python 3.11 tells them of an instruction."""
OPERATIONS = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)


@dataclass
class Failing:
    failure: Failure
    text: str
    """The error's own words."""
    frame: FrameType
    """The innermost of the user's."""
    place: Place
    frames: list[tuple[FrameType, Place]]
    """The user's, the innermost first."""
    library: list[FrameType]
    """What the innermost user's frame has called, outermost first; empty where that is not Python's."""
    statement: ast.stmt | None
    node: ast.AST | None
    """The expression that failed, or the statement `x += y`; None where that is not known."""

    @property
    def module(self) -> Any:
        """The innermost of torch's modules that was running below the user's line; None without one."""
        modules = self.modules()
        return modules[-1] if modules else None

    def modules(self) -> list[Any]:
        """Those that were running below the user's line, outermost first."""
        found: list[Any] = []
        for frame in self.library:
            owner = locals_of(frame).get("self")
            if raw.is_module(type(owner)) and not any(owner is each for each in found):
                found.append(owner)
        return found

    def given(self, function: str, *names: str) -> list[Any] | None:
        """Arguments of the innermost library function of that name; None where it did not run."""
        for frame in reversed(self.library):
            if frame.f_code.co_name == function:
                values = locals_of(frame)
                if all(name in values for name in names):
                    return [values[name] for name in names]
        return None

    def called(self) -> str:
        """The last word of the call that failed; empty for an operator."""
        return source.called(self.node) if isinstance(self.node, ast.Call) else ""


def failing(failure: Failure) -> Failing | None:
    """None where no code of the user's called what failed, or where that code raised the error itself."""
    frames = users_frames(failure.traceback)
    if not frames:
        return None
    frame, place = frames[-1]
    library, span = _below(failure.traceback, frame)
    statement = source.statement_around(place.path, place.line)
    if span is not None and statement is not None and _at(statement, span) is None:
        statement = _beside(place, span) or statement
    if isinstance(statement, (ast.Raise, ast.Assert)) and not library:
        return None
    found = Failing(
        failure,
        _words(str(failure.error)),
        frame,
        place,
        frames[::-1],
        library,
        statement,
        statement and None,
    )
    if statement is not None:
        found.node = (_at(statement, span) if span is not None else None) or guessed(found)
    return found


def _words(text: str) -> str:
    """The error's own; one of a DataLoader's worker comes with the traceback there."""
    if text.startswith("Caught ") and "DataLoader worker process" in text:
        return text.rstrip().rpartition("\n")[2]
    return text


def _below(traceback: TracebackType | None, frame: FrameType) -> tuple[list[FrameType], Span | None]:
    """The frames that the last of the user's called, and where in its text the call stands."""
    library: list[FrameType] = []
    span: Span | None = None
    while traceback is not None:
        if traceback.tb_frame is frame:
            library, span = [], _span(traceback)
        elif not is_users_code(traceback.tb_frame.f_code):
            library.append(traceback.tb_frame)
        traceback = traceback.tb_next
    return library, span


def _span(traceback: TracebackType) -> Span | None:
    positions: Any = getattr(traceback.tb_frame.f_code, "co_positions", None)
    if positions is None or traceback.tb_lasti < 0:
        return None
    found = next(islice(positions(), traceback.tb_lasti // 2, None), None)
    if found is None or None in found:
        return None
    return found


def _beside(place: Place, span: Span) -> ast.stmt | None:
    """The statement with this text where several stand in one line: `zero(); backward(); step()`."""
    tree = source.tree_of(place.path)
    found = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.stmt) and node.lineno == place.line == node.end_lineno
    ]
    return next((node for node in found if _at(node, span) is not None), None)


def _at(statement: ast.stmt, span: Span) -> ast.AST | None:
    """The part of a statement with this very text."""
    for node in ast.walk(statement):
        own = (
            getattr(node, "lineno", 0),
            getattr(node, "end_lineno", 0),
            getattr(node, "col_offset", -1),
            getattr(node, "end_col_offset", -1),
        )
        if own == span and not isinstance(node, ast.Expr):
            return node
    return None


def guessed(found: Failing) -> ast.AST | None:
    """Without a position: the one expression that can have called what failed, or the only operation."""
    statement = found.statement
    if statement is None or isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
        return None
    operations = [node for node in ast.walk(statement) if isinstance(node, OPERATIONS)]
    calls = [node for node in operations if isinstance(node, ast.Call)]
    modules = found.modules()
    if modules:
        calls = [call for call in calls if _value(found.frame, call.func) is modules[0]]
        return calls[0] if len(calls) == 1 else None
    if found.library:
        name = found.library[0].f_code.co_name
        calls = [call for call in calls if source.called(call) == name]
        return calls[0] if len(calls) == 1 else None
    if isinstance(statement, ast.AugAssign) and not operations:
        return statement
    operations = [node for node in operations if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)]
    failed = [node for node in operations if _fails_itself(found.frame, node)]
    chosen = failed or operations
    return chosen[0] if len(chosen) == 1 else None


def _fails_itself(frame: FrameType, node: ast.AST) -> bool:
    """Whether an operation has no shape although all that it is made of has one."""
    inner = [part for part in ast.walk(node) if part is not node and isinstance(part, OPERATIONS)]
    return evaluate(frame, node) is raw.MISSING and all(
        evaluate(frame, part) is not raw.MISSING for part in inner
    )


def _value(frame: FrameType, node: ast.AST) -> Any:
    text = source.text(node)
    return value_of(frame, text) if text.replace(".", "").isidentifier() else raw.MISSING


def module_name(found: Failing, module: Any) -> str:
    """Its path in the model, as in `encoder.fc1`; what the user's code calls it where no model has it."""
    path = found.failure.training.models.module_path(module)
    if path:
        return path
    for frame, _ in reversed(found.frames):
        for name, value in locals_of(frame).items():
            if not raw.is_module(type(value)):
                continue
            if value is module:
                return "" if name == "self" else name
            inside = next((path for path, part in value.named_modules() if part is module), "")
            if inside:
                return inside
    return ""


def owner_of(found: Failing, module: Any) -> tuple[Any, str]:
    """The module that holds it, and under which name; (None, "") for one that none holds."""
    roots = [*found.failure.training.models.roots()]
    for frame, _ in found.frames:
        roots += [value for value in locals_of(frame).values() if raw.is_module(type(value))]
    for root in roots:
        for part in root.modules():
            for name, child in part._modules.items():
                if child is module:
                    return part, name
    return None, ""
