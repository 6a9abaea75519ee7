"""Code lenses: what a class or a function cost in the traced pass, and a way to trace it (again)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lsprotocol import types

from tensorpeek.contract.messages import TracedModule
from tensorpeek.contract.quantities import bytes_text, count_text
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.store import Shown

TRACE_SHAPES = "tensorpeek.traceShapes"
"""The editor's command, called with a URI and the name of a class."""


def lenses(
    shown: Shown | None, alignment: Alignment | None, statements: Sequence[Statement], uri: str
) -> list[types.CodeLens]:
    """In the order of the text."""
    found: list[types.CodeLens] = []
    costs = _costs(shown, alignment) if shown is not None and alignment is not None else {}
    modules: dict[str, str] = {}
    for statement in statements:
        node, line = statement.node, statement.start[0]
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if line in costs:
            found.append(_lens(line, costs[line]))
        if isinstance(node, ast.ClassDef) and is_module(node):
            modules[f"{node.name}.forward"] = node.name
        elif statement.function in modules:
            found.append(_lens(line, "Trace Shapes", [uri, modules[statement.function]]))
    return found


def is_module(node: ast.ClassDef) -> bool:
    """Whether a class says that it is a module of torch, as far as its text tells."""
    return any(ast.unparse(base).split("[")[0].endswith("Module") for base in node.bases)


def _costs(shown: Shown, alignment: Alignment) -> dict[int, str]:
    """Texts by the present line of a `class` or `def`."""
    texts: dict[int, str] = {}
    lines = {placed.traced.start[0]: placed.present.start[0] for placed in alignment.placed}
    for function in shown.file["functions"]:
        if function["calls"] and function["line"] in lines:
            texts[lines[function["line"]]] = _text(
                0, function["flops"], function["peakBytes"], function["calls"]
            )
    peaks = {function["name"]: function["peakBytes"] for function in shown.file["functions"]}
    for line, modules in _by_class(shown).items():
        if line in lines:
            texts[lines[line]] = _text(
                max(module["parameters"] for module in modules),
                sum(module["flops"] for module in modules),
                peaks.get(f"{modules[0]['type']}.forward", 0),
                sum(module["calls"] for module in modules),
            )
    return texts


def _by_class(shown: Shown) -> dict[int, list[TracedModule]]:
    """The called modules by the line of their class in the file, each once also where it has two names."""
    found: dict[int, list[TracedModule]] = {}
    for module in shown.trace["modules"]:
        if module["file"] == shown.file["path"] and module["calls"] and not module["sameAs"]:
            found.setdefault(module["line"], []).append(module)
    return found


def _text(parameters: int, flops: int, peak: int, calls: int) -> str:
    parts = [f"{count_text(parameters)} parameters"] if parameters else []
    parts += [f"{count_text(flops)} FLOPs"] if flops else []
    parts += [f"peak {bytes_text(peak)}"] if peak else []
    return " · ".join([*parts, "1 call" if calls == 1 else f"{calls} calls"])


def _lens(line: int, title: str, arguments: list[str] | None = None) -> types.CodeLens:
    where = types.Position(line - 1, 0)
    command = types.Command(title, TRACE_SHAPES if arguments else "", arguments=arguments)
    return types.CodeLens(types.Range(where, where), command=command)
