"""What to trace in a paused frame: the call that the user names, the one that the frame is in, or the next.

Values are read as the user wrote them, by names, attributes and subscripts; nothing but the traced call is
called.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import entry_of
from tensorpeek.probe.shapes.fake_trace import said
from tensorpeek.probe.shapes.first_call import has_parameters, inner

CALLING = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)
"""What would run more than the traced call, or change a name."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COLLECT = "\0tp-collect"
"""Stands for what is called, while its arguments are read."""


class NoCall(Exception):
    """Why nothing can be traced here, in a sentence for the user."""


class NoModel(NoCall):
    """It is not a model that is called."""


def target_of(frame: FrameType, expression: str) -> Target:
    """Raises NoCall."""
    if expression.strip():
        return _read(_parsed(expression), frame)
    return outermost_call(frame) or _next_call(frame)


def outermost_call(frame: FrameType) -> Target | None:
    """The call of the model that the frame runs in, with the arguments that it was given."""
    call_impl = sys.modules["torch.nn.modules.module"].Module._call_impl.__code__
    found: FrameType | None = None
    around: FrameType | None = frame
    while around is not None:
        if around.f_code is call_impl:
            found = around
        around = around.f_back
    if found is None:
        return None
    known = found.f_locals
    return _target(known["self"], tuple(known["args"]), dict(known["kwargs"]))


def _parsed(expression: str) -> ast.Call:
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise NoCall(f"`{expression}` is no expression") from None
    if not isinstance(node, ast.Call):
        raise NoCall(f"`{expression}` is no call; write one as `model(batch)`")
    return node


def _next_call(frame: FrameType) -> Target:
    unread = ""
    for call in _calls(_scope(frame), frame.f_lineno or 0):
        try:
            return _read(call, frame)
        except NoModel:  # noqa: PERF203 - most calls are of plain functions
            continue
        except NoCall as reason:
            unread = unread or str(reason)
    raise NoCall(unread or f"no model is called at line {frame.f_lineno} or behind it")


def _scope(frame: FrameType) -> ast.AST:
    """The syntax tree of the frame's function, or of its module."""
    code = frame.f_code
    text = "".join(linecache.getlines(code.co_filename, frame.f_globals))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        raise NoCall(f"{code.co_filename} can't be read as Python") from None
    if not text:
        raise NoCall(f"the source of {code.co_filename} is not there")
    if code.co_name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    raise NoCall(f"{code.co_name} is not in {code.co_filename} any more")


def _calls(scope: ast.AST, line: int) -> Iterator[ast.Call]:
    """Those that come from the line on, then those of the next turn of the loops around it."""
    calls = sorted(
        (node for node in _within(scope) if isinstance(node, ast.Call)),
        key=lambda call: (call.lineno, call.col_offset),
    )
    ahead = [call for call in calls if (call.end_lineno or 0) >= line]
    yield from ahead
    loops = [node for node in _within(scope) if isinstance(node, LOOPS)]
    around = [loop for loop in loops if loop.lineno <= line <= (loop.end_lineno or 0)]
    for call in calls:
        if call not in ahead and any(loop.lineno <= call.lineno for loop in around):
            yield call


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """Without functions and classes that are defined in it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, SCOPES):
            yield child
            yield from _within(child)


def _read(call: ast.Call, frame: FrameType) -> Target:
    """Raises NoCall where it is no call of a model, or can't be read without running more than that."""
    text = ast.unparse(call)
    model = _value(call.func, frame)
    if not isinstance(model, sys.modules["torch"].nn.Module) or not has_parameters(model):
        raise NoModel(f"`{ast.unparse(call.func)}` is no model")
    if any(isinstance(node, CALLING) for part in (*call.args, *call.keywords) for node in ast.walk(part)):
        raise NoCall(
            f"the arguments of `{text}` are calls themselves; give a call of the model with values by name"
        )
    collecting = ast.Call(ast.Name(COLLECT, ast.Load()), call.args, call.keywords)
    args, kwargs = _evaluated(collecting, frame, text)
    return _target(model, args, kwargs)


def _value(node: ast.expr, frame: FrameType) -> Any:
    text = ast.unparse(node)
    if any(isinstance(part, CALLING) for part in ast.walk(node)):
        raise NoModel(f"`{text}` is no model")
    return _evaluated(node, frame, text)


def _evaluated(node: ast.expr, frame: FrameType, text: str) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<tensorpeek>", "eval")
    names = {**frame.f_locals, COLLECT: lambda *args, **kwargs: (args, kwargs)}
    try:
        return eval(code, frame.f_globals, names)  # noqa: S307 what the user wrote, where the user wrote it
    except NameError as error:
        raise NoCall(f"`{text}` can't be read here: {error}") from None
    except Exception as error:  # noqa: BLE001  whatever the user's classes raise is told
        raise NoCall(f"`{text}` can't be read here: {said(error)}") from None


def _target(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Target:
    model = inner(model)
    return Target(entry_of(model), model, None, args, kwargs)
