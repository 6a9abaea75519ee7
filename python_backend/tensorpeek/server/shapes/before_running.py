"""Layers whose present size contradicts what was traced to go into them.

Said only where it is sure: nothing but that one line differs from the traced text.
"""

from __future__ import annotations

import ast

from lsprotocol import types

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.inlay_hints import modules_called
from tensorpeek.server.shapes.places import whole_range
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.store import Shown
from tensorpeek.server.source import Source

SIZES = {"Linear": -1, "LayerNorm": -1, "Conv1d": -2, "Conv2d": -3, "Conv3d": -4}
"""Which dim of the input the first argument has to be."""
UNBATCHED = {"Conv1d": 2, "Conv2d": 3, "Conv3d": 4}


def before_running(shown: Shown, alignment: Alignment, source: Source) -> list[types.Diagnostic]:
    if len(alignment.edited) != 1 or len(alignment.removed) != 1:
        return []
    now, before = alignment.edited[0], alignment.removed[0]
    layer, old = _layer(now), _layer(before)
    if layer is None or old is None or layer[:2] != old[:2] or now.function != before.function:
        return []
    name, kind, wanted, node = layer
    inputs = _inputs(shown, before.function.rpartition(".")[0], name, old[2], kind)
    if wanted == old[2] or not inputs:
        return []
    line, text = inputs
    start = node.lineno, node.col_offset
    end = node.end_lineno or node.lineno, node.end_col_offset or 0
    message = (
        f"{kind} takes {wanted} here, and in the traced pass {shown.trace['entry']} of "
        f"{shown.trace['time'][:16].replace('T', ' ')} it was given {text} on line {line}."
    )
    return [
        types.Diagnostic(
            range=whole_range(source, (start, end)),
            severity=types.DiagnosticSeverity.Error,
            source="TensorPeek",
            code="shape-before-running",
            message=message,
        )
    ]


def _layer(statement: Statement) -> tuple[str, str, int, ast.expr] | None:
    """Attribute, class and first size of `self.fc = nn.Linear(128, …)` in an `__init__`."""
    node = statement.node
    if not isinstance(node, ast.Assign) or not statement.function.endswith(".__init__"):
        return None
    target, call = node.targets[0], node.value
    if len(node.targets) != 1 or not isinstance(target, ast.Attribute) or not isinstance(call, ast.Call):
        return None
    kind = ast.unparse(call.func).rpartition(".")[2]
    if kind not in SIZES or ast.unparse(target.value) != "self" or not call.args:
        return None
    size = call.args[0]
    if not isinstance(size, ast.Constant) or type(size.value) is not int:
        return None
    return target.attr, kind, size.value, size


def _inputs(shown: Shown, owner: str, name: str, old: int, kind: str) -> tuple[int, str] | None:
    """The line and shape of what was put in, where the whole class shows one call and it fitted."""
    tree = Source(shown.file["text"]).tree
    if tree is None:
        return None
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and each.name == owner]
    uses = [
        each
        for cls in classes
        for each in ast.walk(cls)
        if isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Load)
    ]
    called = [
        each
        for cls in classes
        for each in ast.walk(cls)
        if isinstance(each, ast.Call) and each.func in uses and len(each.args) == 1
    ]
    if len(classes) != 1 or len(uses) != 1 or len(called) != 1:
        return None
    # That it was called there, and was this layer, the trace of the modules tells.
    modules = modules_called(shown, called[0].lineno)
    if not any(each["type"] == kind and each["path"].endswith(name) for each in modules):
        return None
    value = _one_value(shown, called[0].args[0])
    dim = SIZES[kind]
    if value is None or value["kind"] != "tensor" or len(value["dims"]) < max(-dim, UNBATCHED.get(kind, 1)):
        return None
    if value["dims"][dim] != str(old):
        return None
    return called[0].lineno, f"[{', '.join(value['dims'])}]"


def _one_value(shown: Shown, node: ast.expr) -> ShapeValue | None:
    """What an expression was, where it was always the same."""
    key = node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
    traced = shown.expressions.get(key)
    if traced is not None:
        return traced["values"][0] if len(traced["values"]) == 1 else None
    if not isinstance(node, ast.Name):
        return None
    functions = [each for each in shown.file["functions"] if each["line"] <= node.lineno <= each["endLine"]]
    inner = max(functions, key=lambda each: each["line"], default=None)
    bound = [
        each
        for each in shown.file["names"]
        if inner and each["name"] == node.id and inner["line"] <= each["line"] <= inner["endLine"]
    ]
    # All that it ever was has to be one thing: which binding came here is not known.
    values = [value for each in bound for value in each["values"]]
    same = bool(values) and all(value == values[0] for value in values)
    return values[0] if same else None
