"""Branches that the traced pass did not take, as ranges of code that had no use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lsprotocol import types

from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.places import whole_range
from tensorpeek.server.shapes.statements import blocks
from tensorpeek.server.shapes.store import Shown
from tensorpeek.server.source import Source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def dimmed(shown: Shown, alignment: Alignment, source: Source) -> list[types.Diagnostic]:
    """Only in functions that ran to their end, and of branches that are as they were."""
    ran = {each["line"]: each for each in shown.file["functions"] if each["calls"]}
    errors = [remark["line"] for remark in shown.trace["remarks"] if remark["severity"] == "error"]
    present = {id(placed.traced.node): placed for placed in alignment.placed}
    marks = set(shown.file["blocks"])
    found: list[types.Diagnostic] = []
    for placed in alignment.placed:
        function = ran.get(placed.traced.start[0])
        node = placed.traced.node
        if function is None or not isinstance(node, _FUNCTIONS):
            continue
        if any(function["line"] <= line <= function["endLine"] for line in errors):
            continue
        for block in _untaken(node.body, marks):
            body = [present.get(id(statement)) for statement in block]
            first, last = body[0], body[-1]
            if first is None or last is None or len(block) != sum(each is not None for each in body):
                continue
            node = last.traced.node
            span = first.present.start, last.moved((node.end_lineno or 0, node.end_col_offset or 0))
            found.append(
                types.Diagnostic(
                    range=whole_range(source, span),
                    severity=types.DiagnosticSeverity.Hint,
                    source="TensorPeek",
                    message="Not run in the traced pass.",
                    tags=[types.DiagnosticTag.Unnecessary],
                )
            )
    return found


def _untaken(body: list[ast.stmt], marks: set[int]) -> Iterator[list[ast.stmt]]:
    """The outermost ones. After a statement that may have left the function, nothing is sure but marks."""
    for node in body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        for block in blocks(node):
            if not block:
                continue
            if _is_elif(node, block) or not _is_marked(node, block) or block[0].lineno in marks:
                yield from _untaken(block, marks)
            elif not isinstance(block[0], ast.Expr) or not isinstance(block[0].value, ast.Constant):
                yield block


def _is_elif(node: ast.stmt, block: list[ast.stmt]) -> bool:
    inner = block[0]
    return (
        isinstance(node, ast.If)
        and block is node.orelse
        and isinstance(inner, ast.If)
        and inner.col_offset == node.col_offset
    )


def _is_marked(node: ast.stmt, block: list[ast.stmt]) -> bool:
    """Whether the tracer tells that a block runs: of `try` and `with` only what is not always run."""
    if isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While)):
        return True
    if isinstance(node, ast.Match):
        return True
    return isinstance(node, ast.Try) and any(handler.body is block for handler in node.handlers)
