"""Which of the user's expressions an operation belongs to."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Callable

from tensorpeek.probe.training import source

_positions: dict[CodeType, list[Any]] = {}


@dataclass(frozen=True)
class Spot:
    path: str
    line: int
    column: int
    """In UTF-8 bytes, as `ast` counts."""
    end_line: int
    end_column: int

    @property
    def line_text(self) -> str:
        return linecache.getline(self.path, self.line).rstrip("\n")

    def operands(self) -> list[str]:
        """The two sides of an operator, or the arguments of a call, as they are written."""
        node = self._node()
        if isinstance(node, ast.BinOp):
            return [ast.unparse(node.left), ast.unparse(node.right)]
        if isinstance(node, ast.AugAssign):
            return [ast.unparse(node.target), ast.unparse(node.value)]
        if isinstance(node, ast.Call):
            arguments = [ast.unparse(each) for each in node.args]
            function = node.func
            is_method = isinstance(function, ast.Attribute) and len(arguments) == 1
            return [ast.unparse(function.value), *arguments] if is_method else arguments  # pyright: ignore[reportAttributeAccessIssue]
        return []

    def _node(self) -> ast.AST | None:
        tree = source.tree_of(self.path)
        span = (self.line, self.column, self.end_line, self.end_column)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.BinOp, ast.Call, ast.AugAssign)) and span == (
                node.lineno,
                node.col_offset,
                node.end_lineno,
                node.end_col_offset,
            ):
                return node
        return None


def spot_of(
    frame: FrameType | None, wants: Callable[[str], bool], most: int
) -> tuple[Spot | None, tuple[str, ...]]:
    """The expression that the innermost wanted frame evaluates, and the functions called from there on."""
    via: list[str] = []
    while frame is not None and not wants(frame.f_code.co_filename):
        via.append(frame.f_code.co_name)
        frame = frame.f_back
    return (_in(frame) if frame is not None else None), tuple(via[::-1][:most])


def _in(frame: FrameType) -> Spot:
    code = frame.f_code
    known = _positions.get(code)
    if known is None:
        told = getattr(code, "co_positions", None)
        known = _positions[code] = list(told()) if told is not None else []
    index = frame.f_lasti // 2
    if index < len(known) and None not in known[index]:
        line, end_line, column, end_column = known[index]
        return Spot(code.co_filename, line, column, end_line, end_column)
    # Before Python 3.11 only the line is known.
    line = frame.f_lineno or 1
    text = linecache.getline(code.co_filename, line).rstrip("\n")
    start = len(text) - len(text.lstrip())
    return Spot(code.co_filename, line, start, line, len(text.encode("utf-8", "replace")))
