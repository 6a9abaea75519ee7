"""A rule: a small class with a description that looks at one operation after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Callable, ClassVar

from tensorpeek.probe.shapes.remarks.operations import Operation, Operations, Value
from tensorpeek.probe.shapes.remarks.samples import Samples
from tensorpeek.probe.shapes.remarks.spots import Spot


@dataclass
class Fault:
    title: str
    message: str
    spot: Spot
    evidence: list[str] = field(default_factory=list[str])
    next: list[str] = field(default_factory=list[str])
    related: list[tuple[Spot, str]] = field(default_factory=list[tuple[Spot, str]])
    mixes_samples: bool = False
    """Whether a sample's result depends on other samples by it, which a pass with data can show."""


class Pass:
    """What the rules see."""

    def __init__(self, operations: Operations, readable: Callable[[str], str]) -> None:
        """`readable`: a dim as torch writes it, in the user's names."""
        self.operations = operations.all
        self.samples = Samples(operations)
        self._readable = readable
        self._users: dict[Value, list[Operation]] = {}
        for operation in operations.all:
            for value in operation.inputs:
                self._users.setdefault(value, []).append(operation)

    def users_of(self, value: Value) -> list[Operation]:
        """The operations that take it."""
        return self._users.get(value, [])

    def text(self, value: Value) -> str:
        """Its shape, as `[B, 3, 8]`."""
        return f"[{', '.join(self._readable(dim) for dim in value.dims)}]"

    def made_by_user(self, value: Value) -> Spot | None:
        """The expression that made it."""
        return value.maker.spot if value.maker is not None else None


class Rule:
    """One object per trace."""

    name: ClassVar[str]
    description: ClassVar[str]
    """What it finds, in a sentence."""

    def look(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        """What is wrong with one operation."""
        raise NotImplementedError
