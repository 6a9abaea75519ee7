"""A custom autograd.Function that stores its own output on `ctx`: a cycle through C++, freed by the
collector only.
"""

from __future__ import annotations

import ast
import gc
import sys
from typing import Any

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import Graph
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.user_values import is_tensor


def in_graph(graph: Graph) -> Report | None:
    """Looks at the nodes of a graph that is alive."""
    for node in graph.nodes:
        name = _own_output(node.function)
        if name:
            return _report(node.function, name, [node.function])
    return None


def in_memory() -> Report | None:
    """Looks for such nodes that have outlived their graphs."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    base: type = torch.autograd.function.FunctionCtx
    found = [thing for thing in gc.get_objects() if raw.derives(thing, base) and _own_output(thing)]
    return _report(found[0], _own_output(found[0]), found) if found else None


def _own_output(function: Any) -> str:
    """The attribute of a node that holds what the node itself made; empty when none does."""
    if not raw.is_a(type(function), "torch.autograd.function.FunctionCtx"):
        return ""
    for name, value in list(vars(function).items()):
        if is_tensor(value) and value.grad_fn is function:
            return name
    return ""


def _report(function: Any, attribute: str, alive: list[Any]) -> Report:
    cls: type = getattr(function, "_forward_cls", type(function))
    size = sum(
        value.untyped_storage().nbytes()
        for each in alive
        for value in vars(each).values()
        if is_tensor(value)
    )
    place = _assignment(cls, attribute)
    at = f" (line {place.line})" if place is not None else ""
    count = f"{len(alive)} of them, {size / 2**20:.3g} MiB, are" if len(alive) > 1 else "it is"
    return Report(
        "Output kept on ctx",
        f"`{cls.__name__}` keeps its output as ctx.{attribute}{at}. Output and graph hold each other: "
        f"{count} kept after the graph is gone, until Python's cycle collector happens to run.",
        place=place,
        value=float(len(alive)),
        evidence=[f"{cls.__name__}: ctx.{attribute} is the function's own output"],
        next=["Use ctx.save_for_backward(output), which knows outputs, and ctx.saved_tensors in backward."],
    )


def _assignment(cls: type, attribute: str) -> Place | None:
    forward = getattr(cls, "forward", None)
    code = getattr(forward, "__code__", None)
    if code is None:
        return None
    for node in source.own_nodes(source.body_of(code)):
        for target in source.targets(node):
            if isinstance(target, ast.Attribute) and target.attr == attribute:
                return Place(code.co_filename, target.lineno, code.co_name)
    return None
