"""The sizes that expressions stood for in a traced text, as `b`, `b * t`, `x.size(0)`."""

from __future__ import annotations

import ast

from tensorpeek.server.shapes.contradictions.sizes import Size, size_of, size_of_dim
from tensorpeek.server.shapes.reaching import Reaching
from tensorpeek.server.shapes.text import Traced


def known_size(reaching: Reaching, node: ast.expr, within: ast.stmt) -> Size | None:
    """Of an expression that may be new, at a statement of the traced text; None where it is not known."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = known_size(reaching, node.left, within), known_size(reaching, node.right, within)
        return left.times(right) if left is not None and right is not None else None
    if isinstance(node, ast.Name):
        return _of_name(reaching, node.id, within)
    if (dim := _dim_of(node)) is not None:
        return _size_at(reaching.bound(dim[0], within), dim[1])
    size = size_of(node)
    return size if size is not None and not size.names else None


def _of_name(reaching: Reaching, name: str, within: ast.stmt) -> Size | None:
    bound = reaching.bound(name, within)
    if bound is not None:
        value = bound["values"][0]
        is_number = len(bound["values"]) == 1 and value["kind"] == "number" and bool(value["dims"])
        return size_of_dim(value["dims"][0]) if is_number else None
    binding = reaching.binding(name, within)
    if binding is None or not isinstance(binding[1], ast.Assign):
        return None
    target, assignment = binding[1].targets[0], binding[1]
    if (dim := _dim_of(assignment.value)) is not None and isinstance(target, ast.Name):
        return _size_at(reaching.bound(dim[0], assignment), dim[1])
    whole = _shape_of(assignment.value)
    if whole is None or not isinstance(target, ast.Tuple):
        return None
    if not all(isinstance(each, ast.Name) for each in target.elts):
        return None
    index = next(at for at, each in enumerate(target.elts) if isinstance(each, ast.Name) and each.id == name)
    return _size_at(reaching.bound(whole, assignment), index)


def _dim_of(node: ast.expr) -> tuple[str, int] | None:
    """`x` and 0 of `x.size(0)` and `x.shape[0]`."""
    index: ast.expr | None = None
    inner: ast.expr = node
    if isinstance(node, ast.Subscript):
        inner, index = node.value, node.slice
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        inner, index = ast.Call(node.func, [], []), node.args[0]
    name = _shape_of(inner)
    size = size_of(index) if index is not None else None
    return (name, size.factor) if name is not None and size is not None and not size.names else None


def _shape_of(node: ast.expr) -> str | None:
    """`x` of `x.shape` and `x.size()`."""
    inner = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else node
    wanted = "size" if inner is not node else "shape"
    if isinstance(inner, ast.Attribute) and inner.attr == wanted and isinstance(inner.value, ast.Name):
        return inner.value.id
    return None


def _size_at(traced: Traced | None, index: int) -> Size | None:
    """A dim of a tensor that was always the same."""
    value = traced["values"][0] if traced is not None and len(traced["values"]) == 1 else None
    if value is None or value["kind"] != "tensor" or not -len(value["dims"]) <= index < len(value["dims"]):
        return None
    return size_of_dim(value["dims"][index])
