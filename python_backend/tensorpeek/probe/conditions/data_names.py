"""What the program calls the data that a model is called with, followed from the call to loops, assignments
and the arguments of the functions around it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType

from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.user_values import locals_of, user_frames

OF_WHAT = r"(x|y|set|loader|data|dl|ds|iter|batch|batches|gen|dataset|dataloader|idx|ids|index|indices)?\d*"
EVALUATED = re.compile(rf"(x|y)?(tests?|val|valid|validation|dev|heldout|holdout|eval|evaluation){OF_WHAT}")
TRAINED = re.compile(rf"(x|y)?(tr|trn|train|trains|training){OF_WHAT}")
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MOST_FRAMES = 4
ROUNDS = 3
"""Assignments that are followed one after the other in one function."""


@dataclass
class DataNames:
    words: set[str] = field(default_factory=set)
    """Of the names on the way, in lower case."""
    places: dict[str, Place] = field(default_factory=dict)
    """Where each name on the way that is assigned in a frame of the way got its value."""

    @property
    def is_evaluation(self) -> bool:
        """Whether the data is called one for evaluation, and nowhere one for training."""
        return any(map(EVALUATED.fullmatch, self.words)) and not any(map(TRAINED.fullmatch, self.words))


def data_names(frame: FrameType | None) -> DataNames:
    """Of the call that the frame is in."""
    found = DataNames()
    wanted: set[str] | None = None
    inner = ""
    for each in list(user_frames(frame))[:MOST_FRAMES]:
        around = _around(each)
        wanted = _arguments(around, inner, wanted)
        wanted = _followed(each, around, wanted, found)
        code = each.f_code
        inner = code.co_name
        if not inner.startswith("<"):
            parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            wanted = {f"{number}:{name}" for number, name in enumerate(parameters) if name in wanted}
        if not wanted or found.is_evaluation:
            break
    return found


def _around(frame: FrameType) -> list[ast.AST]:
    """The nodes of the frame's function that the current line is in."""
    line = frame.f_lineno or 0
    body = source.body_of(frame.f_code)
    if not body:
        tree = source.tree_of(frame.f_code.co_filename)
        body = tree.body if tree is not None else []
    nodes = [node for statement in body for node in ast.walk(statement)]
    return [
        node
        for node in nodes
        if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0)
    ]


def _arguments(around: list[ast.AST], inner: str, wanted: set[str] | None) -> set[str]:
    """The texts of what the call on this line gives: all of it for the model's call, else what becomes the
    wanted parameters, written as `number:name`, of the function `inner`.
    """
    calls = [node for node in around if isinstance(node, ast.Call)]
    if wanted is None:
        parts = [part for call in calls for part in (*call.args, *(each.value for each in call.keywords))]
        return _names(parts)
    if inner.startswith("<"):
        return set(wanted)  # a comprehension, which has the names of the function around it
    found: list[ast.expr] = []
    for call in calls:
        if source.called(call) != inner:
            continue
        shift = int(isinstance(call.func, ast.Attribute) and any(each.startswith("1:") for each in wanted))
        for entry in wanted:
            number, _, name = entry.partition(":")
            position = int(number) - (shift or int(isinstance(call.func, ast.Attribute)))
            found += [each.value for each in call.keywords if each.arg == name]
            found += call.args[position : position + 1] if position >= 0 else []
    return _names(found)


def _followed(frame: FrameType, around: list[ast.AST], names: set[str], found: DataNames) -> set[str]:
    """The names and those that they were made of in this frame; notes their words and places."""
    names = set(names)
    loops = [node for node in around if isinstance(node, (ast.For, ast.AsyncFor))]
    inner = [
        each
        for node in around
        if isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp))
        for each in node.generators
    ]
    for _ in range(ROUNDS):
        for loop in (*loops, *inner):
            if _names([loop.target]) & names:
                names |= _names([loop.iter])
        for node in _assigned_before(frame):
            for value in _values_of(node, names):
                names |= _names([value]) if _is_passing_on(value) else set[str]()
    values = locals_of(frame)
    for name in names:
        found.words |= {word.lower() for word in WORDS.findall(name)}
        held = values.get(name)
        if type(held) is str:
            found.words |= {word.lower() for word in WORDS.findall(held)}
        place = _place_of(frame, name)
        if place is not None:
            found.places.setdefault(name, place)
    return names


def _assigned_before(frame: FrameType) -> Iterator[ast.AST]:
    line = frame.f_lineno or 0
    for node in source.own_nodes(source.body_of(frame.f_code)):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno <= line:
            yield node


def _values_of(node: ast.AST, names: set[str]) -> list[ast.expr]:
    """What an assignment puts under one of the names: of `a, b = c, d` only the part that belongs to it."""
    targets, value = source.targets(node), getattr(node, "value", None)
    chosen = [source.text(target) in names for target in targets]
    if not any(chosen) or value is None:
        return []
    if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
        return [part for part, is_chosen in zip(value.elts, chosen) if is_chosen]
    return [value]


def _is_passing_on(value: ast.AST | None) -> bool:
    """Whether an assignment takes a part of something, moves or unpacks it, and makes nothing new of
    several things.
    """
    if isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
        return True
    if isinstance(value, (ast.Tuple, ast.List)):
        return all(map(_is_passing_on, value.elts))
    if isinstance(value, ast.Call):
        parts = [*value.args, *([value.func.value] if isinstance(value.func, ast.Attribute) else [])]
        return len([part for part in parts if not isinstance(part, ast.Constant)]) <= 2
    return False


def _names(nodes: list[ast.expr]) -> set[str]:
    """The names, dotted names and text keys in expressions."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            waiting += [*node.args, *(each.value for each in node.keywords)]
            if isinstance(node.func, ast.Attribute):
                waiting.append(node.func.value)
            continue
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            text = source.text(node)
            found.add(text) if text.replace(".", "").isidentifier() else waiting.append(node.value)
            continue
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def _place_of(frame: FrameType, name: str) -> Place | None:
    owner, _, attribute = name.rpartition(".")
    if not owner:
        return source.last_assignment(frame, name)
    value = locals_of(frame).get(owner)
    is_own = value is not None and source.is_users_class(type(value))
    return source.attribute_assignment(type(value), attribute) if is_own else None
