"""Statistics of all rows that scale those of training and test: read off the text, where that is plain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tensorpeek.probe.conditions.data_names import EVALUATED, TRAINED, WORDS
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place

SPREADS = frozenset({"std", "max", "amax", "ptp", "var"})
CENTRES = frozenset({"mean", "min", "amin", "median"})
SPLITTING = frozenset({"train_test_split", "random_split"})
WRAPPING = re.compile("dataset|tensor|numpy", re.IGNORECASE)
"""In the names of what makes a data set of a table."""
ROWS = (0,)
"""The dimensions over which statistics are those of the data set; others are those of one sample."""


class WholeSet(NamedTuple):
    scaled: Place
    name: str
    """Of what is scaled."""
    split: Place
    statistics: str


def scaled_before_split(path: str) -> WholeSet | None:
    """The first place in the file where a whole is scaled by its own statistics, and then cut into parts for
    training and test.
    """
    tree = source.tree_of(path)
    for name, body in _scopes(tree) if tree is not None else ():
        found = _in_scope(path, name, body)
        if found is not None:
            return found
    return None


def _scopes(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt]]]:
    yield "", tree.body
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.body


def _in_scope(path: str, function: str, body: list[ast.stmt]) -> WholeSet | None:
    wholes: dict[str, str] = {}
    """Names for the same whole, by name: the first of them."""
    statistics: dict[str, tuple[str, str, int]] = {}
    """By the name of a statistic: its whole, its word, its line."""
    scaled: dict[str, WholeSet] = {}
    cut: set[str] = set()
    for node in _in_order(body):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        targets = [source.text(target) for target in source.targets(node)]
        place = Place(path, node.lineno, function)
        for name in _split(node, scaled):
            return scaled[name]._replace(split=place)
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(targets)
        for target, value in zip(targets, values):
            own = _scaling(value, wholes, statistics)
            for table in (wholes, statistics, scaled):
                table.pop(target, None)
            if own is not None:
                whole, words, line = own
                scaled[target] = WholeSet(Place(path, line or node.lineno, function), whole, place, words)
            elif isinstance(value, ast.Name):
                wholes[target] = wholes.get(value.id, value.id)
                if value.id in scaled:
                    scaled[target] = scaled[value.id]
                if value.id in cut:
                    cut.add(target)
            elif isinstance(value, ast.Call):
                word, of = _statistic(value, wholes)
                if of and of not in cut:
                    statistics[target] = (of, word, node.lineno)
                else:
                    # Tensors, data sets and loaders made of the whole are the whole still.
                    inner = [name for name in scaled if _is_made_of(value, name)]
                    if inner:
                        scaled[target] = scaled[inner[0]]
            if isinstance(value, ast.Subscript):
                cut.add(target)
    return _by_two_slices(path, function, body, scaled)


def _in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    nodes = [node for node in source.own_nodes(body) if isinstance(node, ast.stmt)]
    yield from sorted(nodes, key=_line)


def _line(node: ast.stmt) -> int:
    return node.lineno


def _statistic(call: ast.Call, wholes: dict[str, str]) -> tuple[str, str]:
    """The word and the whole of `x.mean(0)` or `np.std(x, axis=0)`; empty where it is of something else."""
    word = source.called(call)
    if word not in SPREADS | CENTRES or not isinstance(call.func, ast.Attribute):
        return "", ""
    of: ast.expr = call.func.value
    args = list(call.args)
    if source.text(of) in ("np", "numpy", "torch") and args:
        of = args.pop(0)
    axes = [*args[:1], *(each.value for each in call.keywords if each.arg in ("dim", "axis"))]
    if any(not isinstance(axis, ast.Constant) or axis.value not in ROWS for axis in axes):
        return "", ""
    return (word, wholes.get(of.id, of.id)) if isinstance(of, ast.Name) else ("", "")


def _scaling(
    value: ast.expr, wholes: dict[str, str], statistics: dict[str, tuple[str, str, int]]
) -> tuple[str, str, int] | None:
    """The whole, the statistics and their line (0 for this one) of `(x - x.mean()) / x.std()`."""
    if isinstance(value, ast.Call) and source.called(value) == "fit_transform" and value.args:
        first = value.args[0]
        whole = wholes.get(first.id, first.id) if isinstance(first, ast.Name) else ""
        is_scaler = isinstance(value.func, ast.Attribute) and "scal" in source.text(value.func.value).lower()
        return (whole, "fit_transform", 0) if whole and is_scaler else None
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Div):
        return None
    above = value.left
    if not isinstance(above, ast.BinOp) or not isinstance(above.op, ast.Sub):
        return None
    if not isinstance(above.left, ast.Name):
        return None
    whole = wholes.get(above.left.id, above.left.id)
    centre, spread = (_of(each, whole, wholes, statistics) for each in (above.right, value.right))
    if centre is None or spread is None or centre[0] not in CENTRES or spread[0] not in SPREADS:
        return None
    return whole, f"{centre[0]} and {spread[0]}", max(centre[1], spread[1])


def _of(
    node: ast.expr, whole: str, wholes: dict[str, str], statistics: dict[str, tuple[str, str, int]]
) -> tuple[str, int] | None:
    """The statistic of the whole that stands in an expression, with its line, 0 for this one."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            word, of = _statistic(part, wholes)
            if of == whole and word in SPREADS | CENTRES:
                return (word, 0) if word in SPREADS or isinstance(node, ast.Call) else None
        if isinstance(part, ast.Name) and part.id in statistics and statistics[part.id][0] == whole:
            named = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            own = [statistics[name] for name in named if name in statistics]
            word = next((each[1] for each in own if each[1] in SPREADS), own[0][1])
            return word, own[0][2]
    return None


def _is_made_of(call: ast.Call, name: str) -> bool:
    for part in call.args:
        if isinstance(part, ast.Name) and part.id == name:
            return True
        is_wrapped = isinstance(part, ast.Call) and WRAPPING.search(source.called(part))
        if is_wrapped and isinstance(part, ast.Call) and _is_made_of(part, name):
            return True
    return False


def _split(node: ast.Assign, scaled: dict[str, WholeSet]) -> list[str]:
    """The scaled whole that an assignment cuts into a part for training and one for evaluation."""
    targets = [source.text(target) for target in source.targets(node)]
    if not (_any(targets, TRAINED) and _any(targets, EVALUATED)):
        return []
    value = node.value
    if isinstance(value, ast.Call) and source.called(value) in SPLITTING:
        return [name for name in scaled if _is_made_of(value, name)]
    parts = value.elts if isinstance(value, ast.Tuple) else []
    cut = {
        part.value.id
        for part in parts
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name)
    }
    return [name for name in scaled if name in cut and sum(_is_slice_of(part, name) for part in parts) >= 2]


def _is_slice_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Subscript) and source.text(node.value) == name


def _by_two_slices(
    path: str, function: str, body: list[ast.stmt], scaled: dict[str, WholeSet]
) -> WholeSet | None:
    """`train = z[:n]` and `test = z[n:]`, each in a statement of its own."""
    for name, whole in scaled.items():
        places: dict[str, Place] = {}
        for node in _in_order(body):
            if not isinstance(node, ast.Assign) or node.lineno <= whole.split.line:
                continue
            if not _is_slice_of(node.value, name):
                continue
            targets = [source.text(target) for target in node.targets]
            for kind, words in (("train", TRAINED), ("test", EVALUATED)):
                if _any(targets, words):
                    places.setdefault(kind, Place(path, node.lineno, function))
        if len(places) == 2:
            return whole._replace(split=places["train"])
    return None


def _any(names: list[str], words: re.Pattern[str]) -> bool:
    return any(words.fullmatch(word.lower()) for name in names for word in WORDS.findall(name))
