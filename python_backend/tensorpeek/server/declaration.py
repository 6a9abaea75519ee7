"""Names in the text that the syntax tree holds as plain strings, without a position of their own."""

from __future__ import annotations

import ast
import unicodedata

from tensorpeek.server.source import Source


def declared_span(node: ast.AST, source: Source, start: int, end: int) -> tuple[int, int] | None:
    """The span to evaluate for the word at `start` to `end`, when it is a name that `node` binds."""
    if isinstance(node, ast.alias):
        return _imported_span(node, source, start, end)
    word = unicodedata.normalize("NFKC", source.text[start:end])
    return (start, end) if word in _bound_names(node) else None


def _bound_names(node: ast.AST) -> list[str | None]:
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return [*node.names]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name]
    return [node.rest] if isinstance(node, ast.MatchMapping) else []


def _imported_span(node: ast.alias, source: Source, start: int, end: int) -> tuple[int, int] | None:
    """`import a.b` binds `a`, so that `a` and `a.b` can be evaluated; `… as c` binds `c` alone."""
    first, after = source.span(node)
    if node.asname is not None:
        return (start, end) if end == after else None
    return (first, end)
