"""Where a class calls its modules, what went into them in a trace and where their outputs went."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.server.shapes.contradictions.changes import Changes
from tensorpeek.server.shapes.contradictions.layers import KINDS, POINTWISE, Layer, layers_in
from tensorpeek.server.shapes.inlay_hints import modules_called
from tensorpeek.server.shapes.statements import Statement

_POINTWISE = frozenset(
    {
        "celu",
        "clone",
        "contiguous",
        "dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "elu",
        "gelu",
        "hardswish",
        "hardtanh",
        "leaky_relu",
        "logsigmoid",
        "mish",
        "relu",
        "relu6",
        "relu_",
        "selu",
        "sigmoid",
        "silu",
        "softplus",
        "softsign",
        "tanh",
    }
)
"""Functions and methods whose result has the shape of their input."""
MOST_STEPS = 20


@dataclass(frozen=True)
class ModuleCall:
    """`self.fc(x)`, in the traced text."""

    node: ast.Call
    statement: Statement
    line: int


class ModuleCalls:
    """Of one class of the traced text."""

    def __init__(self, changes: Changes, owner: str) -> None:
        self._changes = changes
        self._shown = changes.shown
        self._owner = owner
        self._uses: dict[str, list[tuple[ast.Attribute, Statement]]] = {}
        self._calls: dict[str, list[ModuleCall]] = {}
        for statement in self._shown.statements:
            if statement.function.startswith(f"{owner}.") and not isinstance(statement.node, ast.ClassDef):
                self._look_through(statement)

    def only_call(self, attribute: str) -> ModuleCall | None:
        """Where the class uses an attribute once, and calls it there."""
        uses, calls = self._uses.get(attribute, []), self._calls.get(attribute, [])
        return calls[0] if len(uses) == len(calls) == 1 else None

    def is_undisturbed(self, call: ModuleCall, attribute: str) -> bool:
        """Whether what went into a call is as it was: of other edited layers, none is used before."""
        new = self._changes.alignment.at(call.statement.start)
        if new is None or not self._changes.leave_alone(call.statement, new.present):
            return False
        for old, _ in self._changes.layers:
            name = layers_in(old)[0].path[0]
            if old.function != f"{self._owner}.__init__":
                return False
            later = [
                statement.function == call.statement.function and statement.start > call.statement.start
                for _, statement in self._uses.get(name, [])
            ]
            if name != attribute and not all(later):
                return False
        return True

    def argument(self, call: ModuleCall, kind: str) -> Sequence[ShapeValue]:
        """What went in first, where the trace has a module of that class on the line."""
        modules = modules_called(self._shown, call.line)
        if kind and not any(each["type"].rpartition(".")[2] == kind for each in modules):
            return []
        traced = (
            self._changes.reaching.value(call.node.args[0], call.statement.node) if call.node.args else None
        )
        return traced["values"] if traced is not None else []

    def outputs(self, path: Sequence[str]) -> Sequence[ShapeValue]:
        """Of all modules that the class has under a path."""
        name = ".".join(path)
        found = [
            each
            for each in self._shown.trace["modules"]
            if f".{each['path']}".endswith(f".{name}") and each["calls"]
        ]
        return [value for each in found for value in each["outputs"]]

    def consumer(self, attribute: str, layer: Layer) -> tuple[Layer, Statement] | None:
        """The layer that gets what another one makes, with nothing but pointwise functions in between.

        With the line of now that makes it. Of the last one in a Sequential, that of the Sequential.
        """
        producer = self.only_call(attribute)
        if producer is None or (len(layer.path) > 1 and not self._is_last(layer)):
            return None
        for name, calls in self._calls.items():
            for call in calls:
                if name == attribute or not call.node.args or self.only_call(name) is None:
                    continue
                if self._source(call.node.args[0], call.statement.node) is producer.node:
                    return self._layer(name)
        return None

    def _is_last(self, layer: Layer) -> bool:
        found = self._lines(layer.path[0])
        return bool(found) and found[-1][0].path == layer.path

    def _layer(self, attribute: str) -> tuple[Layer, Statement] | None:
        found = self._lines(attribute)
        if not found or found[0][0].kind not in KINDS:
            return None
        return found[0] if found[0][0].takes() is not None else None

    def _lines(self, attribute: str) -> list[tuple[Layer, Statement]]:
        """The layers of now under an attribute, where one line makes them."""
        found: list[list[tuple[Layer, Statement]]] = []
        for statement in self._shown.statements:
            if statement.function != f"{self._owner}.__init__":
                continue
            made = layers_in(statement)
            if made and made[0].path[0] == attribute:
                present = self._changes.present(statement)
                found.append([(each, present) for each in layers_in(present)] if present is not None else [])
        return found[0] if len(found) == 1 else []

    def _source(self, node: ast.expr, within: ast.stmt, steps: int = MOST_STEPS) -> ast.Call | None:
        """The call of a module that an expression has its sizes from."""
        if not steps:
            return None
        if isinstance(node, ast.Name):
            bound = self._changes.reaching.binding(node.id, within)
            value = getattr(bound[1], "value", None) if bound is not None else None
            is_plain = bound is not None and isinstance(bound[1], (ast.Assign, ast.AnnAssign))
            return (
                self._source(value, bound[1], steps - 1) if is_plain and bound and value is not None else None
            )
        if not isinstance(node, ast.Call):
            return None
        name = _of_self(node.func)
        if name is not None:
            made = self._lines(name)
            if len(made) == 1 and made[0][0].kind in POINTWISE and node.args:
                return self._source(node.args[0], within, steps - 1)
            return node
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _POINTWISE:
            return None
        is_function = isinstance(node.func.value, ast.Name) and node.func.value.id in ("F", "torch")
        inner = (node.args[0] if node.args else None) if is_function else node.func.value
        return self._source(inner, within, steps - 1) if inner is not None else None

    def _look_through(self, statement: Statement) -> None:
        """What the statement itself says: those in it are statements too."""
        waiting: list[ast.AST] = [statement.node]
        while waiting:
            node = waiting.pop()
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Load)
                and _of_self(node) is not None
            ):
                self._uses.setdefault(node.attr, []).append((node, statement))
            if isinstance(node, ast.Call) and (name := _of_self(node.func)) is not None:
                call = ModuleCall(node, statement, node.lineno)
                self._calls.setdefault(name, []).append(call)
            inner = ast.iter_child_nodes(node)
            waiting += [
                each for each in inner if not isinstance(each, (ast.stmt, ast.excepthandler, ast.match_case))
            ]


def _of_self(node: ast.expr) -> str | None:
    """`fc` of `self.fc`."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else None
