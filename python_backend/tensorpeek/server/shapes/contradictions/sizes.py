"""Sizes as they are written: whole numbers, and products of numbers and names."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod

LARGEST_POWER = 64


@dataclass(frozen=True)
class Size:
    """`2 * channels * 4` is 8 of `channels`."""

    factor: int
    names: tuple[str, ...] = ()
    """In their order."""

    def times(self, other: Size) -> Size:
        return Size(self.factor * other.factor, tuple(sorted((*self.names, *other.names))))


ONE = Size(1)


def size_of(node: ast.expr) -> Size | None:
    """None where it is no product of numbers and names."""
    if isinstance(node, ast.Constant):
        return Size(node.value) if type(node.value) is int else None
    if isinstance(node, (ast.Name, ast.Attribute)):
        text = ast.unparse(node)
        return Size(1, (text,)) if text.replace(".", "").isidentifier() else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = size_of(node.operand)
        return Size(-inner.factor, inner.names) if inner else None
    return _of_operation(node) if isinstance(node, ast.BinOp) else None


def size_of_dim(text: str) -> Size:
    """Of a traced dim, as `64`, `B`, `2*T`; what is no product is a name of its own."""
    try:
        found = size_of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        found = None
    return found or Size(1, (text,))


def product(sizes: list[Size]) -> Size:
    names = tuple(sorted(name for size in sizes for name in size.names))
    return Size(prod(size.factor for size in sizes), names)


def _of_operation(node: ast.BinOp) -> Size | None:
    left, right = size_of(node.left), size_of(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Mult):
        return left.times(right)
    if right.names:
        return None
    # What rounds depends on the names' values.
    if isinstance(node.op, ast.FloorDiv) and right.factor > 0 and left.factor % right.factor == 0:
        return Size(left.factor // right.factor, left.names)
    if left.names:
        return None
    if isinstance(node.op, ast.Add):
        return Size(left.factor + right.factor)
    if isinstance(node.op, ast.Sub):
        return Size(left.factor - right.factor)
    if isinstance(node.op, ast.Pow) and 0 <= right.factor < LARGEST_POWER:
        return Size(left.factor**right.factor)
    return None
