"""What can be watched for at a line: the entries of the menu Add Training Breakpoint."""

from __future__ import annotations

import ast

from tensorpeek.catalogue.function_info import Argument, FunctionInfo
from tensorpeek.catalogue.functions import FUNCTIONS
from tensorpeek.catalogue.line_explanation import fill
from tensorpeek.contract.messages import (
    TrainingBreakpointEntry,
    TrainingBreakpointField,
    TrainingBreakpoints,
)
from tensorpeek.server.source import Source
from tensorpeek.server.usage import Kind, Use, uses_in

MOST_NAMES = 12
EXTRA_FIELDS: dict[str, tuple[Argument, ...]] = {
    "grad_norm": (Argument("threshold", "a norm that is too large", 10),),
    "every": (Argument("n", "how often the line is reached in between", 100),),
    "outside": (
        Argument("lo", "the smallest value that is right", -1000),
        Argument("hi", "the largest value that is right", 1000),
    ),
}
"""Numbers of a template for which the function itself has no default."""

FITTING: dict[str, tuple[Kind, ...]] = {
    "spike": ("loss", "scalar", "tensor"),
    "plateau": ("loss", "scalar"),
    "nonfinite": ("loss", "tensor", "gradient", "scalar", "module"),
    "grad_norm": ("module", "optimizer", "tensor"),
    "outside": ("tensor", "loss", "scalar", "gradient"),
    "changed": ("tensor", "module", "scalar"),
    "dead": ("tensor",),
}
"""What a function may be asked of, best first."""

EXPRESSION_LABEL = "Expression…"
EXPRESSION_DETAIL = "Stops when any condition holds, which may call the functions of tp."

Entry = TrainingBreakpointEntry


def training_breakpoints(source: Source, line: int) -> TrainingBreakpoints | None:
    """The answer to `tensorpeek/trainingBreakpoints`; None where there is no code to stop at."""
    if source.tree is None:
        return {"line": line, "entries": entries([], line + 1, "nonfinite")}
    found = statement_at(source.tree, line + 1)
    if found is None:
        return None
    statement, scope = found
    uses = list(uses_in(scope, source.tree).values())
    first = best_function({use.kind for use in uses if line + 1 in (*use.lines, *use.bound)}, statement)
    return {"line": statement.lineno - 1, "entries": entries(uses, statement.lineno, first)}


def best_function(kinds: set[Kind], statement: ast.stmt) -> str:
    """What is asked most at a line with values of these kinds."""
    if "loss" in kinds:
        return "spike"
    if "optimizer" in kinds or "gradient" in kinds:
        return "grad_norm"
    return "every" if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)) else "nonfinite"


def statement_at(tree: ast.Module, line: int) -> tuple[ast.stmt, ast.AST] | None:
    """The statement that a breakpoint on a 1-based line means, and the function, class or module it is in.

    A line that makes a value is followed by the next one of its block, where the value is there to be looked
    at. An empty line means what comes after it in its block.
    """
    scope: ast.AST = tree
    block: list[ast.stmt] = tree.body
    while True:
        index = next((i for i, each in enumerate(block) if line <= (each.end_lineno or each.lineno)), None)
        if index is None:
            return None
        statement = block[index]
        if line < statement.lineno and not any(line >= d.lineno for d in _decorators(statement)):
            return _into(statement, scope)
        inner = next((body for body in _bodies(statement) if _covers(body, line, statement)), None)
        if inner is not None:
            scope = statement if isinstance(statement, _SCOPES) else scope
            block = inner
            continue
        if isinstance(statement, _SCOPES):
            return _into(statement, scope)
        if _makes_a_value(statement) and index + 1 < len(block) and not isinstance(block[index + 1], _SCOPES):
            return block[index + 1], scope
        return statement, scope


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _into(statement: ast.stmt, scope: ast.AST) -> tuple[ast.stmt, ast.AST]:
    """The line of a `def` runs once only; its first statement is meant."""
    while isinstance(statement, _SCOPES):
        scope = statement
        body = statement.body
        is_documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        statement = body[1] if is_documented and len(body) > 1 else body[0]
    return statement, scope


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return statement.decorator_list if isinstance(statement, _SCOPES) else []


def _bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    found = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    cases = [case.body for case in getattr(statement, "cases", [])]
    return [body for body in (*found, *handlers, *cases) if isinstance(body, list) and body]


def _covers(body: list[ast.stmt], line: int, statement: ast.stmt) -> bool:
    first = min(body[0].lineno, *(d.lineno for d in _decorators(body[0])), body[0].lineno)
    return first <= line <= (body[-1].end_lineno or body[-1].lineno) and statement.lineno < line


def _makes_a_value(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign))


def entries(uses: list[Use], line: int, first: str) -> list[Entry]:
    """Of all functions that have a place in the menu, `first` before the others; for the 1-based line."""
    ordered = sorted(uses, key=lambda use: distance(use, line))
    made = [entry_of(i, fitting(FITTING.get(i.name, ()), ordered, line)) for i in FUNCTIONS if i.label]
    made.sort(
        key=lambda entry: (entry["kind"] != first, "{name}" in entry["template"] and not entry["names"])
    )
    return [*made, expression_entry(ordered)]


def distance(use: Use, line: int) -> float:
    """How far its nearest use is: what is at the line itself or was made just before comes first."""
    nearest = min((abs(line - at) + (0.5 if at > line else 0) for at in use.lines), default=1e6)
    made = min((line - at + 0.25 for at in use.bound if at < line), default=1e6)
    return min(nearest, made)


def fitting(kinds: tuple[Kind, ...], ordered: list[Use], line: int) -> list[str]:
    """Names that have a value when the line is reached, the right kinds first, the nearest first in each."""
    known = [use for use in ordered if not use.bound or min(use.bound) < line or len(use.lines) > 1]
    found = [use.text for kind in kinds for use in known if use.kind == kind]
    if "gradient" in kinds or kinds == FITTING["grad_norm"]:
        found.sort(key=lambda text: text.endswith((".weight", ".bias")))
    return found[:MOST_NAMES]


def entry_of(info: FunctionInfo, names: list[str]) -> Entry:
    settings = EXTRA_FIELDS.get(info.name) or info.settings
    fields: list[TrainingBreakpointField] = [
        {"name": each.name, "default": each.default or 0, "help": each.help}
        for each in settings
        if f"{{{each.name}}}" in info.template
    ]
    shown = names[0] if names else "a value"
    given = {argument.name: shown for argument in info.arguments if argument.is_value}
    given.update({field["name"]: f"{field['default']:g}" for field in fields})
    detail = f"Stops when {fill(info, given)}"
    if "threshold" in given:
        detail += f" is above {given['threshold']}"
    return {
        "kind": info.name,
        "label": info.label,
        "detail": detail + ".",
        "names": names,
        "fields": fields,
        "template": info.template,
    }


def expression_entry(ordered: list[Use]) -> Entry:
    names = [use.text for use in ordered if use.kind in ("gradient", "tensor", "loss", "module")]
    return {
        "kind": "expression",
        "label": EXPRESSION_LABEL,
        "detail": EXPRESSION_DETAIL,
        "names": names[:MOST_NAMES],
        "fields": [],
        "template": "tp.norm({name}) > 10" if names else "tp.every(100)",
    }


def is_worth_watching(source: Source, line: int) -> bool:
    """Whether a 0-based line is one that a training breakpoint is usually put on, for a code action."""
    if source.tree is None:
        return False
    found = statement_at(source.tree, line + 1)
    if found is None or not source.line_text(line).strip():
        return False
    uses = uses_in(found[1], source.tree).values()
    kinds = ("loss", "gradient", "optimizer")
    return any(use.kind in kinds and line + 1 in (*use.lines, *use.bound) for use in uses)
