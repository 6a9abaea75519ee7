"""`view` and `reshape` whose sizes were edited to what the traced elements can't fill."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from math import prod

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.server.shapes.contradictions.changes import Changes, span_in
from tensorpeek.server.shapes.contradictions.contradiction import PASS, Contradiction
from tensorpeek.server.shapes.contradictions.known_sizes import known_size
from tensorpeek.server.shapes.contradictions.sizes import Size, product, size_of_dim
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.text import value_text

NAMES = ("view", "reshape")
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)


def impossible_reshapes(changes: Changes) -> Iterator[Contradiction]:
    if changes.layers:
        return
    for old in changes.removed:
        for new in changes.edited:
            pair = _edited_call(old, new)
            if pair is not None and changes.leave_alone(old, new):
                yield from _judged(changes, old, new, *pair)


def _edited_call(old: Statement, new: Statement) -> tuple[ast.Call, ast.Call] | None:
    """The call in both lines, where nothing but its sizes differs."""
    if old.function != new.function or not isinstance(old.node, _SIMPLE):
        return None
    for before, after in zip(_calls(old.node), _calls(new.node), strict=False):
        one, other = ast.dump(before), ast.dump(after)
        if one == other:
            continue
        # The rest of the line is the same.
        is_all = ast.dump(old.node).split(one) == ast.dump(new.node).split(other)
        return (before, after) if is_all and ast.dump(before.func) == ast.dump(after.func) else None
    return None


def _calls(node: ast.stmt) -> list[ast.Call]:
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in NAMES
        and not each.keywords
    ]


def _judged(
    changes: Changes, old: Statement, new: Statement, before: ast.Call, after: ast.Call
) -> Iterator[Contradiction]:
    assert isinstance(before.func, ast.Attribute)
    traced = changes.reaching.value(before.func.value, old.node)
    if traced is None or len(traced["values"]) != 1 or traced["values"][0]["kind"] != "tensor":
        return
    value = traced["values"][0]
    wanted = _wanted(changes, old, _arguments(after))
    if wanted is None:
        return
    sizes, is_open = wanted
    given = product([size_of_dim(dim) for dim in value["dims"]])
    numbers = dict(zip(value["dims"], value["sizes"], strict=False))
    left, over = _without_common(given, sizes)
    # A size that depends on data is not known.
    if over.names or not over.factor or any(numbers.get(name, -1) < 0 for name in left.names):
        return
    elements = left.factor * prod(numbers[name] for name in left.names)
    if elements % over.factor == 0 if is_open else elements == over.factor:
        return
    # With another size of what is left, an open dim may fit, and one that is not may fit a multiple.
    depends = bool(left.names) and (is_open or over.factor % max(left.factor, 1) == 0)
    yield Contradiction(
        span_in(new, after), _message(value, left, numbers, elements, over, is_open), depends=depends
    )


def _message(
    value: ShapeValue, left: Size, numbers: dict[str, int], elements: int, over: Size, is_open: bool
) -> str:
    where = ", ".join(f"{name} = {numbers[name]}" for name in dict.fromkeys(left.names))
    of = f"{value_text(value)} with {where}" if where else value_text(value)
    rest = f"is no multiple of {over.factor}" if is_open else f"is not {over.factor}"
    return f"{of} can't take these sizes: {elements} {rest}, in {PASS}."


def _arguments(call: ast.Call) -> list[ast.expr]:
    first = call.args[0] if len(call.args) == 1 else None
    return first.elts if isinstance(first, (ast.Tuple, ast.List)) else call.args


def _wanted(changes: Changes, old: Statement, arguments: list[ast.expr]) -> tuple[Size, bool] | None:
    """The product of the sizes, and whether there is a -1. None where one is not known."""
    sizes: list[Size] = []
    is_open = False
    for node in arguments:
        size = known_size(changes.reaching, node, old.node)
        if size is None or (size.factor < 0 and (is_open or size != Size(-1))):
            return None
        if size.factor < 0:
            is_open = True
        else:
            sizes.append(size)
    return (product(sizes), is_open) if arguments else None


def _without_common(one: Size, other: Size) -> tuple[Size, Size]:
    """Both without the names that they share."""
    first, second = Counter(one.names), Counter(other.names)
    left = tuple(sorted((first - second).elements()))
    return Size(one.factor, left), Size(other.factor, tuple(sorted((second - first).elements())))
