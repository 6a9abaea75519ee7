"""What the numbers mean by which rewritten code tells of its expressions, names and functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Span = tuple[int, int, int, int]
"""First and last line, 1-based, with columns in UTF-8 bytes: line, column, last line, last column."""


class Function(NamedTuple):
    name: str
    """Qualified."""
    line: int
    """Of `def`."""
    end_line: int
    first_line: int
    """Of the first decorator."""


@dataclass
class Places:
    expressions: list[Span] = field(default_factory=list[Span])
    names: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    functions: list[Function] = field(default_factory=list[Function])
    makers: set[int] = field(default_factory=set[int])
    """Numbers of the functions in which others are defined."""


def span_of(node: Any) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
