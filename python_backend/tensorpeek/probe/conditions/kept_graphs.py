"""Meters, totals and lists that keep a tensor with its graph in every step: `total += loss`,
`losses.append(loss)`.
"""

from __future__ import annotations

import ast
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, NamedTuple

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.graph import sequence_of, walk
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.user_values import is_tensor, locals_of, user_frames

NEAR = 40
"""Nodes that may lie between a total and what it was in the step before."""
MOST_STEPS_BACK = 2000
FEWEST_LOOKS = 2
"""They lie at least the window apart, and what lies between them is followed through the graph."""
MOST_PARTS = 50
LISTS = (list, deque)
TABLES = (dict, OrderedDict, defaultdict)
"""Classes whose items are read without running code of the user's."""


@dataclass
class Growth:
    """Of what one expression holds, as long as each look finds it grown out of what it was."""

    mark: int
    """Of a total, its sequence number; of a list, that of its first tensor."""
    first: int
    """The step in which it began."""
    looks: int = 1
    length: int = 0


class KeptGraphs:
    def __init__(self, window: int) -> None:
        self._window = window
        self._growths: dict[str, Growth] = {}
        self._told: set[str] = set()

    def look(self, step: Step) -> Report | None:
        """At the end of a step: what still reaches into the graphs of the steps before."""
        return self._look(scopes_of(step.frame), step.number)

    def last_look(self, step: int) -> Report | None:
        """When the program ends: what its main module still holds."""
        return self._look(main_scope(), step) if self._growths else None

    def _look(self, scopes: list[Scope], step: int) -> Report | None:
        present: dict[str, Growth] = {}
        for name, value in _holders(scopes):
            if name in present or name in self._told:
                continue
            before = self._growths.get(name)
            is_list = type(value) in LISTS
            growth = _list_growth(value, before) if is_list else _total_growth(value, before)
            if growth.looks == 1:
                growth.first = step
            present[name] = growth
            if growth.looks >= FEWEST_LOOKS and step - growth.first >= self._window:
                self._told.add(name)
                return (
                    _list_report(scopes, name, growth.length)
                    if growth.length
                    else _total_report(scopes, name)
                )
        self._growths = present
        return None


class Scope(NamedTuple):
    """Names, and the text that assigns them."""

    names: dict[str, Any]
    path: str
    function: str
    body: list[ast.stmt]

    def place(self, node: ast.AST) -> Place:
        return Place(self.path, getattr(node, "lineno", 0), self.function)


def scopes_of(frame: FrameType | None) -> list[Scope]:
    return [
        Scope(locals_of(each), each.f_code.co_filename, each.f_code.co_name, source.body_of(each.f_code))
        for each in user_frames(frame)
    ]


def main_scope() -> list[Scope]:
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    tree = source.tree_of(path) if isinstance(path, str) else None
    return [Scope(dict(vars(main)), str(path), "<module>", tree.body)] if main is not None and tree else []


def _total_growth(tensor: Any, before: Growth | None) -> Growth:
    mark = sequence_of(tensor.grad_fn)
    if before is None or before.length or (before.mark != mark and not _reaches(tensor.grad_fn, before.mark)):
        return Growth(mark, 0)
    return Growth(mark, before.first, before.looks + (before.mark != mark))


def _list_growth(parts: Any, before: Growth | None) -> Growth:
    mark, length = sequence_of(_graph_in(parts[0]).grad_fn), len(parts)
    if before is None or before.mark != mark or length <= before.length or not before.length:
        return Growth(mark, 0, length=length)
    return Growth(mark, before.first, before.looks + 1, length)


def _keeps_graph(value: Any) -> bool:
    return is_tensor(value) and value.requires_grad and value.grad_fn is not None


def _graph_in(entry: Any) -> Any:
    """The first tensor with a graph that an entry of a list is, or has in it; None without one."""
    parts = [entry]
    if type(entry) in TABLES:
        parts = list(entry.values())[:MOST_PARTS]
    elif type(entry) in (tuple, list):
        parts = list(entry[:MOST_PARTS])
    return next((part for part in parts if _keeps_graph(part)), None)


def _reaches(function: Any, mark: int) -> bool:
    """Whether a total was made from what it was at the last look."""
    older = function
    for _ in range(MOST_STEPS_BACK):
        # The old total is older than all that was added to it since.
        following = [(sequence_of(each), each) for each, _ in older.next_functions if each is not None]
        following = [entry for entry in following if entry[0] >= 0]
        if not following:
            break
        sequence, older = min(following, key=_first)
        if sequence <= mark:
            return sequence == mark
    return any(node.sequence == mark for node in walk(function, NEAR).nodes)


def _first(entry: tuple[int, Any]) -> int:
    return entry[0]


def _holders(scopes: list[Scope]) -> Iterator[tuple[str, Any]]:
    """Tensors with a graph, and lists of such, under names and in attributes of the user's objects."""
    for scope in scopes:
        for name, value in scope.names.items():
            if _holds(value):
                yield name, value
            elif type(value) in TABLES:
                yield from _entries(name, value)
            elif not isinstance(value, type) and source.is_users_class(type(value)):
                parts = list(raw.attributes(value).items())[:MOST_PARTS]
                for key, part in parts:
                    if _holds(part):
                        yield f"{name}.{key}", part
                    elif type(part) in TABLES:
                        yield from _entries(f"{name}.{key}", part)


def _entries(name: str, table: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    if len(table) > 1:
        # One that gets an entry in each step is a list by another name.
        values = list(table.values())
        if _holds(values):
            yield name, values
    parts = list(table.items())[:MOST_PARTS]
    yield from ((f"{name}[{key!r}]", part) for key, part in parts if _holds(part))


def _holds(value: Any) -> bool:
    if type(value) in LISTS:
        return bool(value) and _graph_in(value[0]) is not None and _graph_in(value[-1]) is not None
    return _keeps_graph(value)


def _total_report(scopes: list[Scope], name: str) -> Report:
    owner, _, attribute = name.rpartition(".")
    place, shown, related = None, name, []
    for scope in scopes:
        if owner.isidentifier() and owner in scope.names:
            cls = type(scope.names[owner])
            place = source.attribute_assignment(cls, attribute, reads_itself=True)
            shown = f"{cls.__name__}.{attribute}"
            related = _calls_from(scope, owner, place)
        elif not owner and name in scope.names:
            place = _own_accumulation(scope, name)
        if place is not None:
            break
    called = f", called from line {related[0].place.line}" if related else ""
    at = f" (line {place.line}{called})" if place is not None else ""
    return Report(
        "Graph kept by a total",
        f"`{shown}`{at} is a tensor that requires grad, and it is added to in every step: its graph grows "
        "with each of them and is never freed.",
        place=place,
        evidence=[f"{name}: its graph reaches that of the step before, at each of the last looks"],
        next=["Add a number or a tensor without graph: loss.item() or loss.detach()."],
        related=related,
    )


def _list_report(scopes: list[Scope], name: str, length: int) -> Report:
    appending = (f"{name}.append", f"{name}.extend")
    own = [
        scope.place(node)
        for scope in scopes
        for node in source.own_nodes(scope.body)
        if isinstance(node, ast.Call) and source.text(node.func) in appending
    ]
    # A hook or another function of the file may fill a list that the training loop only owns.
    place = own[0] if own else _filled_elsewhere(scopes, name) or _entered(scopes, name)
    return Report(
        "Graphs kept in a list",
        f"`{name}` holds {length} tensors that require grad, more in each step, each with the graph of its "
        f"step.",
        place=place,
        value=float(length),
        evidence=[f"{name}: {length} tensors with grad_fn"],
        next=["Append loss.item() or loss.detach(), or empty the list after each step."],
    )


def _filled_elsewhere(scopes: list[Scope], name: str) -> Place | None:
    """The only line of the scopes' files that appends to the name, or in a method to the attribute, else
    None.
    """
    found = [
        Place(path, call.lineno, source.function_of(path, call.lineno))
        for path in {scope.path for scope in scopes}
        for call in source.calls(path, "append", "extend")
        if isinstance(call.func, ast.Attribute) and _without_key(call.func.value) in _names_of(name)
    ]
    return found[0] if len(found) == 1 else None


def _entered(scopes: list[Scope], name: str) -> Place | None:
    """The only line of the scopes' files that sets an entry of the table: `name[key] = …`, in a method
    `self.name[key] = …`.
    """
    texts = _names_of(name)
    found = [
        Place(path, node.lineno, source.function_of(path, node.lineno))
        for path in {scope.path for scope in scopes}
        for node in ast.walk(source.tree_of(path) or ast.Module([], []))
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and source.text(node.value) in texts
    ]
    return found[0] if len(found) == 1 else None


def _names_of(name: str) -> set[str]:
    """What a function of the file may call it: an entry of a table has another key there, and an object is
    `self` in its own methods.
    """
    whole = name.partition("[")[0]
    return {whole, f"self.{whole.rpartition('.')[2]}"} if "." in whole else {whole}


def _without_key(node: ast.expr) -> str:
    return source.text(node.value if isinstance(node, ast.Subscript) else node)


def _own_accumulation(scope: Scope, name: str) -> Place | None:
    """The statement that makes the name's value from itself."""
    for node in source.own_nodes(scope.body):
        is_target = any(source.text(target) == name for target in source.targets(node))
        if is_target and source.reads(node, name):
            return scope.place(node)
    return None


def _calls_from(scope: Scope, owner: str, place: Place | None) -> list[Related]:
    """The lines that call the method."""
    if place is None:
        return []
    return [
        Related(scope.place(node), "called from here")
        for node in source.own_nodes(scope.body)
        if isinstance(node, ast.Call) and source.text(node.func) == f"{owner}.{place.function}"
    ]
