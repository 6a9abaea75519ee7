"""Says in a sentence what a line condition does."""

from __future__ import annotations

import ast

from tensorpeek.catalogue.function_info import Argument, FunctionInfo
from tensorpeek.catalogue.line_condition import Call, calls, is_used, literal

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: "is above",
    ast.GtE: "is at least",
    ast.Lt: "is below",
    ast.LtE: "is at most",
    ast.Eq: "is",
    ast.NotEq: "is not",
}


def explanation(tree: ast.Expression) -> str:
    """As in “Stops when loss is more than 8 spreads above …”; of a tree that was checked."""
    known = {id(call.node): call for call in calls(tree)} if is_used(tree) else {}
    return f"Stops when {_said(tree.body, known, False)}."


def _said(node: ast.expr, known: dict[int, Call], is_inner: bool) -> str:
    if isinstance(node, ast.BoolOp):
        word = " and " if isinstance(node.op, ast.And) else " or "
        parts = [_said(part, known, True) for part in node.values]
        text = f",{word}".join(parts) if any("," in part for part in parts) else word.join(parts)
        return f"({text})" if is_inner else text
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"it is not so that {_said(node.operand, known, True)}"
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        left, right = _value(node.left, known), _value(node.comparators[0], known)
        return f"{left} {_COMPARISONS[type(node.ops[0])]} {right}"
    call = known.get(id(node))
    return _phrase(call) if call is not None else f"`{ast.unparse(node)}` holds"


def _value(node: ast.expr, known: dict[int, Call]) -> str:
    call = known.get(id(node))
    return _phrase(call) if call is not None else ast.unparse(node)


def _phrase(call: Call) -> str:
    return fill(call.info, {name: _listed(values) for name, values in call.given.items()})


def _listed(values: list[ast.expr]) -> str:
    texts = [ast.unparse(value) if literal(value) is None else f"{literal(value):g}" for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def fill(info: FunctionInfo, given: dict[str, str]) -> str:
    """The function's phrase with these texts for its arguments, and its defaults for the others."""
    texts = {argument.name: given.get(argument.name) or _default(argument) for argument in info.arguments}
    if "share" in texts:
        texts["share"] = _percent(texts["share"])
    if "fall" in texts:
        texts["fall"] = _percent(texts["fall"])
    if "n" in texts:
        texts["n_th"] = _ordinal(texts["n"])
    return info.phrase.format(**texts)


def _default(argument: Argument) -> str:
    return argument.name if argument.default is None else f"{argument.default:g}"


def _percent(text: str) -> str:
    try:
        return f"{100 * float(text):g} %"
    except ValueError:
        return text


def _ordinal(text: str) -> str:
    if not text.isdigit():
        return f"({text})th"
    ending = {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th")
    return text + ("th" if text[-2:] in ("11", "12", "13") else ending)
