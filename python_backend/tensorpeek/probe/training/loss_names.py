"""What the user calls the tensor that a backward pass begins at."""

from __future__ import annotations

import ast
import linecache
import sys
from itertools import islice
from types import CodeType, FrameType
from typing import Any

UNNAMED = "loss"
LONGEST = 40
CLEARERS = frozenset({"mean", "sum", "scale", "to", "float", "item", "squeeze", "detach"})
"""Methods that leave a loss what it is."""

_known: dict[tuple[int, int, int], tuple[CodeType, str]] = {}
"""By the code's address, since its hash is worked out anew each time; with the code, which is kept alive."""
_trees: dict[str, ast.Module | None] = {}


def loss_name(frame: FrameType | None, index: int = 0) -> str:
    """As in `loss` or `g_loss`, from the line's text; `index` counts the roots of one backward call."""
    if frame is None:
        return UNNAMED
    code = frame.f_code
    key = (id(code), frame.f_lasti, index)
    known = _known.get(key)
    if known is None:
        known = _known[key] = code, _read(frame, index) or UNNAMED
    return known[1]


def _read(frame: FrameType, index: int) -> str:
    call = _backward_call(frame)
    if call is None:
        return ""
    root: ast.expr | None = None
    if call.args:
        root = call.args[0]
        if isinstance(root, (ast.List, ast.Tuple)):
            root = root.elts[index] if index < len(root.elts) else None
    if isinstance(call.func, ast.Attribute) and not _is_loss_argument(call):
        root = call.func.value
    return _text(root) if root is not None else ""


def _is_loss_argument(call: ast.Call) -> bool:
    """Whether the loss is the argument, as in `fabric.backward(loss)`, and not before the dot."""
    function = call.func
    if not call.args or not isinstance(function, ast.Attribute):
        return bool(call.args)
    return function.attr != "backward" or "loss" not in ast.dump(function.value).lower()


def _text(expression: ast.expr) -> str:
    while True:
        if isinstance(expression, ast.BinOp) and isinstance(expression.op, (ast.Div, ast.Mult)):
            expression = expression.right if isinstance(expression.left, ast.Constant) else expression.left
        elif isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
            if expression.func.attr not in CLEARERS:
                break
            is_scale = expression.func.attr == "scale" and expression.args
            expression = expression.args[0] if is_scale else expression.func.value
        else:
            break
    text = ast.unparse(expression)
    return text if len(text) <= LONGEST else ""


def _backward_call(frame: FrameType) -> ast.Call | None:
    """The call in the frame's line, by its columns where Python knows them."""
    tree = _tree(frame.f_code.co_filename)
    if tree is None:
        return None
    position: Any = None
    if sys.version_info >= (3, 11):
        position = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    line = frame.f_lineno or 0
    fitting: list[ast.Call] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if position == (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset):
            return node if "backward" in ast.unparse(node.func).rpartition(".")[2] else None
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if "backward" in name:
            fitting.append(node)
    return fitting[0] if len(fitting) == 1 else None


def _tree(path: str) -> ast.Module | None:
    if path not in _trees:
        try:
            _trees[path] = ast.parse("".join(linecache.getlines(path)))
        except (SyntaxError, ValueError):
            _trees[path] = None
    return _trees[path]
