"""The tensors and modules of one line, with their dtypes and devices, and where each of them came from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from tensorpeek.probe import raw
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place, is_users_code
from tensorpeek.probe.training.report import Related
from tensorpeek.probe.training.user_values import is_tensor, locals_of, value_of

MOVING = frozenset(
    {"to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "type_as", "long", "int"}
)
"""Methods of a tensor that return a new one; a module's change the module."""
INTEGERS = frozenset({"target", "indices", "index", "input"})
"""Parameters of torch's functions for class numbers and indices; `input` is an embedding's."""
MAKING_DOUBLES = ("from_numpy", "as_tensor", "tensor", "array")


class Operand(NamedTuple):
    name: str
    value: Any
    """A tensor or a module."""
    dtype: Any
    device: Any

    def differs(self, other: Operand) -> bool:
        return self.dtype != other.dtype or self.device != other.device

    def on_device(self) -> str:
        return f"{self._subject()} on {self.device}"

    def of_dtype(self) -> str:
        return f"{self._subject()} {short(self.dtype)}"

    def line(self) -> str:
        shape = list(self.value.shape) if is_tensor(self.value) else type(self.value).__name__
        return f"{self.name}: {short(self.dtype)} {shape} on {self.device}"

    def _subject(self) -> str:
        if is_tensor(self.value):
            return f"`{self.name}` is"
        return f"the weights of `{self.name}` ({type(self.value).__name__}) are"


class Origin(NamedTuple):
    text: str
    related: list[Related]
    advice: list[str]


def short(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def of_line(frame: FrameType, line: int) -> list[Operand]:
    """What the statement at the line names in this frame: floating tensors, and modules that have weights."""
    statement = source.statement_around(frame.f_code.co_filename, line)
    if statement is None:
        return []
    found: dict[str, Operand] = {}
    for node in ast.walk(statement):
        # A name that is read and assigned, as in `h = cell(x, h)`, still has the value that was read.
        if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
            continue
        name = source.text(node)
        if name in found or not name.replace(".", "").isidentifier():
            continue
        value = value_of(frame, name)
        if value is raw.MISSING:
            continue
        if is_tensor(value):
            found[name] = Operand(name, value, value.dtype, value.device)
        elif raw.is_module(type(value)):
            weight = next(iter(value.parameters()), None)
            if weight is not None and not _is_self(frame, name):
                found[name] = Operand(name, value, weight.dtype, weight.device)
    called = [each for each in found.values() if _is_called_with(statement, each.name, found)]
    return called or list(found.values())


def given_to_library(traceback: TracebackType | None) -> Iterator[list[Operand]]:
    """What each function of torch's own was given, from the one that the user called inwards."""
    while traceback is not None:
        if not is_users_code(traceback.tb_frame.f_code):
            yield _given(traceback.tb_frame)
        traceback = traceback.tb_next


def no_integers(traceback: TracebackType | None, frame: FrameType) -> list[Operand]:
    """What torch's own function was given for class numbers or indices, and is none: by the name that the
    user's frame has for it, else by what it is there.
    """
    for given in given_to_library(traceback):
        for each in given:
            if each.name in INTEGERS and each.dtype.is_floating_point and not _is_input(each, given):
                names = [name for name, value in locals_of(frame).items() if value is each.value]
                return [each._replace(name=names[0] if names else each.name)]
    return []


def _is_input(operand: Operand, given: list[Operand]) -> bool:
    """Whether an `input` is not a table's indices: it has no weight to pick rows of beside it."""
    return operand.name == "input" and not any(
        "Embedding" in each.name or each.name == "weight" for each in given
    )


def _given(frame: FrameType) -> list[Operand]:
    code, names = frame.f_code, locals_of(frame)
    found: list[Operand] = []
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value: Any = names.get(name)
        if is_tensor(value):
            found.append(Operand(name, value, value.dtype, value.device))
        elif raw.is_module(type(value)):
            own = {**value._parameters, **value._buffers}
            kind = type(value).__name__
            tensors = [(f"{kind}.{key}", each) for key, each in own.items() if is_tensor(each)]
            found += [Operand(key, each, each.dtype, each.device) for key, each in tensors]
    return found


def _is_self(frame: FrameType, name: str) -> bool:
    """Whether a name is the module whose method runs: only parts of it take part in the line."""
    names = frame.f_code.co_varnames
    return bool(names) and names[0] == name and frame.f_code.co_argcount > 0


def _is_called_with(statement: ast.stmt, name: str, found: dict[str, Operand]) -> bool:
    """Whether the name takes part in an operation with another of those found: as callee, argument or
    operand.
    """
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        else:
            continue
        names = [text for part in parts if (text := source.text(part)) in found]
        if name in names and len({(found[each].dtype, found[each].device) for each in names}) > 1:
            return True
    return False


def origin(frame: FrameType, frames: list[FrameType], operand: Operand) -> Origin:
    """What the text says of where the operand got its device and dtype."""
    if not is_tensor(operand.value):
        return _of_module(frames, operand)
    for each in frames or [frame]:
        names = [name for name, value in locals_of(each).items() if value is operand.value]
        for name in [operand.name, *names]:
            thrown = _discarded(each, name)
            if thrown is not None:
                call, place = thrown
                return Origin(
                    f"The result of {call} at line {place.line} is thrown away: a tensor's "
                    f"{call.partition('(')[0].rpartition('.')[2]}() returns a new one.",
                    [Related(place, "the result is not assigned")],
                    [f"{name} = {call}"],
                )
            where = source.last_assignment(each, name) if name in names else None
            if where is not None:
                return _assigned(each, name, operand, where)
    return Origin("", [], [])


def _assigned(frame: FrameType, name: str, operand: Operand, where: Place) -> Origin:
    statement = source.statement_around(where.path, where.line)
    calls = (
        [node for node in ast.walk(statement) if isinstance(node, ast.Call)] if statement is not None else []
    )
    maker = next((source.text(call.func) for call in calls if source.called(call) in MAKING_DOUBLES), "")
    if maker and short(operand.dtype) == "float64":
        return Origin(
            f"`{name}` is float64 since {maker}() at line {where.line}: NumPy's numbers are float64 by "
            f"default.",
            [Related(where, f"`{name}` becomes float64 here")],
            [f"{name} = {name}.float()"],
        )
    return Origin("", [Related(where, f"`{name}` is assigned here")], [])


def _discarded(frame: FrameType, name: str) -> tuple[str, Place] | None:
    """A statement that is nothing but `name.to(…)`."""
    for node in source.own_nodes(source.body_of(frame.f_code)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            is_moving = isinstance(function, ast.Attribute) and function.attr in MOVING
            if is_moving and source.text(function).rpartition(".")[0] == name:
                return source.text(node.value), Place(frame.f_code.co_filename, node.lineno)
    return None


def _of_module(frames: list[FrameType], operand: Operand) -> Origin:
    """Whether a module that was not converted with the rest is kept in a plain list."""
    for frame in frames:
        for value in locals_of(frame).values():
            if not raw.is_module(type(value)):
                continue
            for part in value.modules():
                for name, held in list(vars(part).items()):
                    parts = list(held.values()) if type(held) is dict else held
                    if name.startswith("_") or type(parts) not in (list, tuple):
                        continue
                    index = next((number for number, each in enumerate(parts) if each is operand.value), -1)
                    if index >= 0:
                        return _in_list(part, name, index, list(parts), type(held).__name__)
    return Origin("", [], [])


def _in_list(module: Any, name: str, index: int, parts: list[Any], kind: str) -> Origin:
    place = source.attribute_assignment(type(module), name)
    count = sum(1 for part in parts if raw.is_module(type(part)) for _ in part.parameters())
    at = f" (line {place.line})" if place is not None else ""
    return Origin(
        f"It is `{name}[{index}]` of {type(module).__name__}: `{name}`{at} is a plain {kind}, so its "
        f"{len(parts)} layers with {count} parameters are not registered, and to() passes them by.",
        [Related(place, f"`{name}` is a plain {kind}")] if place is not None else [],
        [f"Keep them in nn.{'ModuleDict' if kind == 'dict' else 'ModuleList'}."],
    )
