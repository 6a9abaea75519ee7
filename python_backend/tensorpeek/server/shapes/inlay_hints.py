"""Inlay hints: the shape of what a line makes, at its end; by setting also inside of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, cast

from lsprotocol import types

from tensorpeek.contract.messages import ShapeSymbol, ShapeValue, TracedModule
from tensorpeek.contract.quantities import bytes_text, count_text
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.places import position
from tensorpeek.server.shapes.settings import Hints, member
from tensorpeek.server.shapes.statements import Place, Statement
from tensorpeek.server.shapes.store import Label, Shown, SpanKey, span_key, span_of
from tensorpeek.server.shapes.text import (
    Traced,
    code,
    first_tensor,
    hint_text,
    of_tensor,
    table,
)
from tensorpeek.server.source import Source

STALE = "Something above was changed since: this is what it was."
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def inlay_hints(
    shown: Shown, alignment: Alignment, source: Source, uri: str, wanted: types.Range, which: Hints
) -> list[types.InlayHint]:
    """In the order of the text; tooltips come with `resolved`."""
    if which == "off":
        return []
    if which not in shown.labels:
        shown.labels[which] = list(_labels(shown, which))
    hints: list[types.InlayHint] = []
    first, last = wanted.start.line + 1, wanted.end.line + 1
    for label in shown.labels[which]:
        placed = alignment.at_index(label.statement)
        if placed is None or not first <= (after := placed.moved(label.after))[0] <= last:
            continue
        hints.append(
            types.InlayHint(
                position=position(source, after),
                label=label.text + ("?" if placed.stale else ""),
                padding_left=True,
                data={"uri": uri, "span": list(label.span), "stale": placed.stale},
            )
        )
    return hints


def _labels(shown: Shown, which: Hints) -> Iterator[Label]:
    usual: dict[str, tuple[str, str]] = {}
    for index, statement in enumerate(shown.statements):
        for after, traced in _worth_showing(shown, statement, which):
            here = usual.get(statement.function, ("", ""))
            tensor = next((each for value in traced["values"] if (each := first_tensor(value))), None)
            if tensor is not None:
                usual[statement.function] = of_tensor(tensor)
            # An argument's is only known for what comes after it.
            if not isinstance(statement.node, _DEFINITIONS):
                yield Label(index, after, hint_text(traced, here), span_key(traced))


def resolved(hint: types.InlayHint, shown: Shown | None) -> types.InlayHint:
    """The hint with its tooltip."""
    span: Any = member(hint.data, "span")
    is_span = isinstance(span, (list, tuple))
    traced = _by_span(shown, tuple(cast("list[Any]", span))) if shown is not None and is_span else None
    if shown is not None and traced is not None:
        stale = bool(member(hint.data, "stale"))
        hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, tooltip(shown, traced, stale))
    return hint


def tooltip(shown: Shown, traced: Traced, stale: bool = False) -> str:
    parts = [STALE] if stale else []
    parts.append(table(traced))
    costs = [f"{traced['calls']} calls" if traced["calls"] != 1 else "1 call"]
    flops = traced.get("flops", 0)
    if isinstance(flops, int) and flops:
        costs.append(f"{count_text(flops)} FLOPs")
    modules = modules_called(shown, traced["line"])
    if len(modules) == 1:
        module = modules[0]
        costs.append(
            f"{code(module['path'] or module['type'])}: {count_text(module['parameters'])} parameters"
        )
        if module["bytes"]:
            costs.append(f"outputs {bytes_text(module['bytes'])}")
    parts.append(" · ".join(costs))
    names = symbols_text(shown.trace["symbols"], traced["values"])
    return "\n\n".join([*parts, names] if names else parts)


def modules_called(shown: Shown, line: int) -> list[TracedModule]:
    path = shown.file["path"]
    return [
        module
        for module in shown.trace["modules"]
        if module["callLine"] == line and module["callPath"] == path and not module["sameAs"]
    ]


def symbols_text(symbols: list[ShapeSymbol], values: list[ShapeValue]) -> str:
    """The numbers of the names that the values use."""
    text = " ".join(dim for value in values for dim in _dims(value))
    used = [symbol for symbol in symbols if symbol["name"] in _words(text)]
    return "  \n".join(
        f"{code(symbol['name'])} = {symbol['size']}, from {symbol['origin']}" for symbol in used
    )


def _dims(value: ShapeValue) -> Iterator[str]:
    yield from value["dims"]
    for item in value["items"]:
        yield from _dims(item["value"])


def _words(text: str) -> set[str]:
    return set("".join(c if c.isidentifier() or c.isdigit() else " " for c in text).split())


def _worth_showing(shown: Shown, statement: Statement, which: Hints) -> Iterator[tuple[Place, Traced]]:
    """What is shown of a statement, and behind which place."""
    node = statement.node
    value = getattr(node, "value", None)
    whole = _whole(shown, node)
    if which in ("calls", "all"):
        for part in _parts(node):
            if part is value and whole is not None:
                continue
            traced = shown.expressions.get(span_of(part))
            if traced is not None and (which == "all" or isinstance(part, ast.Call)):
                yield (traced["endLine"], traced["endColumn"]), traced
    if isinstance(node, _DEFINITIONS):
        for argument in _arguments(node):
            if (name := shown.names.get(span_of(argument))) is not None:
                yield statement.end, name
    elif whole is not None:
        yield statement.end, whole


def _whole(shown: Shown, node: ast.stmt) -> Traced | None:
    """What a line as a whole makes."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return shown.names.get(span_of(node.target))
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not isinstance(node, ast.AugAssign) and node.value is not None:
            value = shown.expressions.get(span_of(node.value))
            if value is not None:
                return value
        return next((found for target in targets if (found := shown.names.get(span_of(target)))), None)
    if isinstance(node, (ast.Return, ast.Expr)) and node.value is not None:
        return shown.expressions.get(span_of(node.value))
    return None


def _parts(node: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement's own, not those of the statements in it."""
    if isinstance(node, _DEFINITIONS):
        return
    waiting: list[Any] = [
        child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.stmt, ast.excepthandler))
    ]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, ast.expr):
            yield part
        if not isinstance(part, (ast.Lambda, ast.match_case)):
            waiting[:0] = ast.iter_child_nodes(part)


def _arguments(node: ast.stmt) -> list[ast.arg]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return []


def _by_span(shown: Shown, span: tuple[Any, ...]) -> Traced | None:
    if len(span) != 4 or not all(isinstance(number, int) for number in span):
        return None
    key: SpanKey = (span[0], span[1], span[2], span[3])
    return shown.expressions.get(key) or shown.names.get(key)
