"""Where a tensor of a failed operation came from: the line that made it, through the calls that passed it
on.
"""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any

from tensorpeek.probe.shape_errors.explanation import Operand
from tensorpeek.probe.shape_errors.failing import Failing, owner_of
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related
from tensorpeek.probe.training.user_values import is_tensor, locals_of, tensors_under, value_of


def lines_of(found: Failing, operand: Operand) -> list[Related]:
    """The lines that made it or its parts, the last first; empty where the text does not tell."""
    related: list[Related] = []
    for name in _names_in(operand.text):
        value = value_of(found.frame, name)
        if is_tensor(value):
            related += _made(found, name, value)
    return related


def _names_in(text: str) -> list[str]:
    """The names that an expression reads, dotted ones whole."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return []
    found: dict[str, None] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        name = source.text(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        if name.replace(".", "").isidentifier():
            while name:
                found[name] = None
                name = name.rpartition(".")[0]
            continue
        waiting += ast.iter_child_nodes(node)
    return list(found)


def _made(found: Failing, name: str, tensor: Any) -> list[Related]:
    own = f"`{name}` {list(tensor.shape)}"
    for frame, place in found.frames:
        if frame is not found.frame:
            name = _name_in(frame, tensor)
            if not name:
                return [Related(place, f"{own} is given here")]
        line = _assigned(frame, name, place.line)
        if line is not None:
            alias = "" if own.startswith(f"`{name}`") else f", as `{name}`"
            return [Related(line, f"{own} is made here{alias}{_source(line)}")]
        if name.startswith("self."):
            owner = value_of(frame, "self")
            at = source.attribute_assignment(type(owner), name[5:].partition(".")[0])
            return [Related(at, f"{own} is made here")] if at is not None else []
        if name.partition(".")[0] not in frame.f_code.co_varnames:
            break
    return []


def _name_in(frame: FrameType, tensor: Any) -> str:
    for name, value in locals_of(frame).items():
        for text, part in tensors_under(name, value):
            if part is tensor:
                return text
    return ""


def _assigned(frame: FrameType, name: str, line: int) -> Place | None:
    """The assignment that ran last before the line; what the line itself assigns, it has not yet."""
    name = name.partition("[")[0]
    statements = source.assignments(frame.f_code, name)
    above = [node.lineno for node in statements if node.lineno < line]
    loops = [node.lineno for node in statements if node.lineno == line and isinstance(node, ast.For)]
    lines = above or loops
    return Place(frame.f_code.co_filename, lines[-1], frame.f_code.co_name) if lines else None


def _source(place: Place) -> str:
    """What a loop takes it from."""
    tree = source.tree_of(place.path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.For, ast.AsyncFor)) and node.lineno == place.line:
            return f", from {source.text(node.iter)}"
    return ""


def constructor(found: Failing, module: Any) -> Place | None:
    """The line that makes a layer: in a class's method, or in the list of a Sequential."""
    wanted: list[str] = []
    part = module
    for _ in range(10):
        owner, name = owner_of(found, part)
        if owner is None:
            return _made_by_name(found, part, wanted)
        if source.is_users_class(type(owner)):
            place = source.attribute_assignment(type(owner), name)
            return _inside(place, wanted) if place is not None else None
        wanted.insert(0, name)
        part = owner
    return None


def _made_by_name(found: Failing, module: Any, wanted: list[str]) -> Place | None:
    for frame, place in found.frames:
        for scope in (locals_of(frame), frame.f_globals):
            for name, value in list(scope.items()):
                if value is module:
                    at = _assigned(frame, name, place.line) or _in_file(frame, name)
                    return _inside(at, wanted) if at is not None else None
    return None


def _in_file(frame: FrameType, name: str) -> Place | None:
    """An assignment at the top of the file, of which exactly one is known."""
    path = frame.f_code.co_filename
    tree = source.tree_of(path)
    lines = [
        node.lineno
        for node in (tree.body if tree is not None else ())
        if any(source.text(target) == name for target in source.targets(node))
    ]
    return Place(path, lines[0]) if len(lines) == 1 else None


def _inside(place: Place, wanted: list[str]) -> Place:
    """The line of the argument that a Sequential or a list on that line counts so."""
    statement = source.statement_around(place.path, place.line)
    node: ast.AST | None = getattr(statement, "value", None)
    for name in wanted:
        if (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and isinstance(node.args[0], (ast.List, ast.Tuple))
        ):
            items: list[ast.expr] = node.args[0].elts
        elif isinstance(node, ast.Call):
            items = node.args
        else:
            break
        starred = any(isinstance(item, ast.Starred) for item in items)
        if starred or not name.isdigit() or int(name) >= len(items):
            break
        node = items[int(name)]
    line = getattr(node, "lineno", place.line)
    return Place(place.path, line, place.function)
