"""The tensors of a failed expression, with the names that the user gave them."""

from __future__ import annotations

import ast
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.evaluate import evaluate
from tensorpeek.probe.shape_errors.explanation import NAMELESS, Operand
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.training import source
from tensorpeek.probe.training.user_values import is_tensor, locals_of, tensors_under, value_of

LONGEST = 60
"""Characters of an expression that serves as a name."""


def named(found: Failing, tensor: Any, otherwise: str) -> Operand:
    """A tensor that torch's code was given, by what the user's line calls it."""
    return Operand(name_of(found, tensor) or otherwise, tensor)


def name_of(found: Failing, tensor: Any) -> str:
    """The text that stands for this very tensor in the failing line, else in its function; empty without
    one.
    """
    for root in (found.node, found.statement):
        for node in ast.walk(root) if root is not None else ():
            if (
                isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
                and _looked_up(found, node) is tensor
            ):
                return source.text(node)
    for name, value in locals_of(found.frame).items():
        for text, part in tensors_under(name, value):
            if part is tensor:
                return text
    return ""


def _looked_up(found: Failing, node: ast.AST) -> Any:
    """The value of a name, of an attribute, or of an entry of a list or dictionary."""
    if isinstance(node, ast.Subscript):
        whole = _looked_up(found, node.value)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else raw.MISSING
        if type(key) is int and is_tensor(whole) and whole.dim() and -len(whole) <= key < len(whole):
            return whole.select(0, key)
        if type(whole) is dict and type(key) in (str, int):
            return whole.get(key, raw.MISSING)
        if type(whole) in (list, tuple) and type(key) is int and -len(whole) <= key < len(whole):
            return whole[key]
        return raw.MISSING
    text = source.text(node)
    return value_of(found.frame, text) if text.replace(".", "").isidentifier() else raw.MISSING


def input_of(found: Failing, tensor: Any) -> Operand:
    """What a layer was given: by the name of the tensor, the argument of the call, or the layer."""
    name = name_of(found, tensor)
    if not name and len(found.modules()) <= 1 and isinstance(found.node, ast.Call) and found.node.args:
        name = short(found.node.args[0])
    return Operand(name or NAMELESS, tensor)


def argument(found: Failing, position: int, keyword: str) -> ast.expr | None:
    """An argument of the failed call, by its place or its name."""
    if not isinstance(found.node, ast.Call):
        return None
    for each in found.node.keywords:
        if each.arg == keyword:
            return each.value
    args = found.node.args
    if len(args) > position and not any(isinstance(each, ast.Starred) for each in args[: position + 1]):
        return args[position]
    return None


def argument_operand(found: Failing, tensor: Any, position: int, keyword: str) -> Operand:
    """A tensor that a function of torch's was given: by its own name, or by the argument's text."""
    name = name_of(found, tensor)
    # Below a criterion's call the arguments are those of its forward, in the same order.
    node = None if name else argument(found, position, keyword)
    return Operand(name or (short(node) if node is not None else "") or keyword, tensor)


def parts(found: Failing) -> list[Operand]:
    """The tensors that the failed expression joins, in their order; those that can't be worked out are left
    out.
    """
    return parts_of_call(found, found.node)


def parts_of_call(found: Failing, node: ast.AST | None) -> list[Operand]:
    """Those of another expression of the failing line."""
    return [Operand(short(part), value) for part in _part_nodes(node) for value in tensors_of(found, part)]


def tensors_of(found: Failing, node: ast.AST) -> list[Any]:
    """The tensor that an expression is, the program's own where it is only looked up; empty for another."""
    exact = _looked_up(found, node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else None
    if is_tensor(exact):
        return [exact]
    value = evaluate(found.frame, node)
    return [value] if is_tensor(value) else []


def _part_nodes(node: ast.AST | None) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.value, *(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])]
    if isinstance(node, ast.Call):
        found = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
            found += each.elts if isinstance(each, (ast.List, ast.Tuple)) else [each]
        return found
    return []


def receiver(found: Failing) -> Operand | None:
    """`x` of `x.view(…)`, or the first argument of `torch.reshape(x, …)`."""
    if isinstance(found.node, ast.Subscript):
        nodes: list[ast.expr] = [found.node.value]
    elif isinstance(found.node, ast.Call):
        nodes = [found.node.func.value] if isinstance(found.node.func, ast.Attribute) else []
        nodes += found.node.args[:1]
    else:
        return None
    for node in nodes:
        for value in tensors_of(found, node):
            return Operand(short(node), value)
    return None


def short(node: ast.AST) -> str:
    text = source.text(node)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
