"""A hover on a traced expression: what went in, and what came out."""

from __future__ import annotations

import ast

from lsprotocol import types

from tensorpeek.server.shapes.alignment import Alignment, Placed
from tensorpeek.server.shapes.inlay_hints import tooltip
from tensorpeek.server.shapes.places import place, whole_range
from tensorpeek.server.shapes.reaching import Reaching
from tensorpeek.server.shapes.store import Shown, SpanKey, span_of
from tensorpeek.server.shapes.text import LONGEST, Traced, code, hint_text
from tensorpeek.server.source import Source

MOST_OPERANDS = 8


def hover(shown: Shown, alignment: Alignment, source: Source, where: types.Position) -> types.Hover | None:
    """Of the innermost traced expression or bound name there."""
    at = place(source, where)
    best: tuple[SpanKey, Traced, Placed, types.Range] | None = None
    for key, traced in [*shown.names.items(), *shown.expressions.items()]:
        moved = alignment.moved(key[:2], key[2:])
        if moved is None or not moved[0][0] <= at <= moved[0][1]:
            continue
        if best is None or _is_inside(key, best[0]):
            best = key, traced, moved[1], whole_range(source, moved[0])
    if best is None:
        return None
    key, traced, placed, range_ = best
    lines = [f"{code(text)} {code(hint_text(each))}  " for text, each in _operands(shown, placed, key)]
    heading = f"**{hint_text(traced).removeprefix('→ ')}**" if not lines else code(hint_text(traced))
    parts = ["\n".join([*lines, heading]), tooltip(shown, traced, placed.stale)]
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(parts)), range_)


def _operands(shown: Shown, placed: Placed, key: SpanKey) -> list[tuple[str, Traced]]:
    node = next(
        (
            each
            for each in ast.walk(placed.traced.node)
            if isinstance(each, ast.expr) and span_of(each) == key
        ),
        None,
    )
    reaching = Reaching(shown)
    found: list[tuple[str, Traced]] = []
    for part in _inputs(node):
        traced = reaching.value(part, placed.traced.node)
        if traced is not None:
            text = ast.unparse(part)
            found.append((text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", traced))
    return found[:MOST_OPERANDS]


def _inputs(node: ast.expr | None) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*receiver, *node.args, *(keyword.value for keyword in node.keywords)]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)] if node else []


def _is_inside(key: SpanKey, other: SpanKey) -> bool:
    return key[:2] >= other[:2] and key[2:] <= other[2:]
