"""`x[i] += y` and `self.h += y`, which give a value that no name has.

They become `kept()[kept()] = told(iadd(told(keep(x)[keep(i)]), y))`: everything is evaluated once, in the
order in which Python does it.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorpeek.probe.shapes.rewriting.calls import call, placed, told
from tensorpeek.probe.shapes.rewriting.placeholders import (
    KEEP_BASE,
    KEEP_INDEX,
    KEPT_BASE,
    KEPT_INDEX,
    SLICE,
    in_place,
)
from tensorpeek.probe.shapes.rewriting.places import Places


def in_place_assignment(places: Places, node: ast.AugAssign) -> ast.stmt:
    """The statement as it is where it may be interrupted, since what is kept is kept for a frame."""
    if any(isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
        return node
    target: Any = node.target
    base = call(KEEP_BASE, [target.value], target.value)
    kept = call(KEPT_BASE, [], target.value)
    if isinstance(target, ast.Subscript):
        index = call(KEEP_INDEX, [_as_value(target.slice)], target.slice)
        read: Any = ast.Subscript(base, index, ast.Load())
        write: Any = ast.Subscript(kept, call(KEPT_INDEX, [], target.slice), ast.Store())
    else:
        read = ast.Attribute(base, target.attr, ast.Load())
        write = ast.Attribute(kept, target.attr, ast.Store())
    before = told(places, placed(read, target))
    after = call(in_place(type(node.op).__name__), [before, node.value], node)
    return placed(ast.Assign([placed(write, target)], told(places, after)), node)


def _as_value(index: Any) -> Any:
    """A slice is written with colons only within brackets."""
    if isinstance(index, ast.Slice):
        parts = [part or placed(ast.Constant(None), index) for part in (index.lower, index.upper, index.step)]
        return call(SLICE, parts, index)
    if isinstance(index, ast.Tuple):
        index.elts = [_as_value(element) for element in index.elts]
    return index
