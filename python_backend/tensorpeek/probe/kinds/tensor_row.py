"""The rows of a tensor, `tensor[i]`, shown without an indexing operation."""

from __future__ import annotations

from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe.kinds.index_groups import index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import Text, present
from tensorpeek.probe.statistics.tensor_scan import AnyScan, scan_memory
from tensorpeek.probe.tensors.address_view import Memory, locate
from tensorpeek.probe.tensors.elements import Element, elements, row, shortest
from tensorpeek.probe.tensors.facts import TensorFacts
from tensorpeek.probe.tensors.line import tensor_line


class RowKind:
    """A row has its own line, and its own rows or elements under it."""

    presentation_kind: PresentationKind = "tensor"

    def matches(self, cls: type) -> bool:
        return cls is TensorRow

    def scan(self, value: TensorRow) -> AnyScan | None:
        return scan_memory(value.tensor, value.memory)

    def present(self, value: TensorRow, scan: AnyScan | None) -> Presentation | None:
        memory = value.memory()
        if isinstance(memory, str):
            return present(f"({memory})", self.presentation_kind)
        facts = TensorFacts(shape=memory.shape, dtype=memory.element.name, parts=memory.element.parts)
        return present_tensor(facts, scan)

    def children(self, value: TensorRow) -> list[Child] | None:
        return rows_of(value)


class TensorRow:
    """A part of a tensor at the first few indices; `tensor` is an ordinary strided one."""

    __slots__ = ("index", "tensor")

    def __init__(self, tensor: Any, index: tuple[int, ...] = ()) -> None:
        self.tensor = tensor
        self.index = index

    def memory(self) -> Memory | str:
        """Where it lies now, or why nowhere."""
        memory = locate(self.tensor)
        for position in self.index:
            if isinstance(memory, str):
                break
            memory = row(memory, position)
        return memory


TensorRow.__name__ = "Tensor"


def present_tensor(facts: TensorFacts, scan: AnyScan | None) -> Presentation:
    """The line of a tensor or row."""
    alarm, text = tensor_line(facts, None if scan is None else scan.statistics)
    return present(text, "tensor", alarm=alarm)


def rows_of(value: TensorRow) -> list[Child]:
    """The rows or elements, in index groups where they are many."""
    memory = value.memory()
    if isinstance(memory, str):
        return [Child("values", Text(memory))]
    if not memory.shape:
        return []

    def make_rows(start: int, stop: int) -> list[Child]:
        if len(memory.shape) > 1:
            return [
                Child(f"[{i}]", TensorRow(value.tensor, (*value.index, i)), f"[{i}]")
                for i in range(start, stop)
            ]
        now = value.memory()
        if now != memory:
            return [Child("values", Text("the memory was freed or moved"))]
        found = elements(memory, start, stop)
        return [
            Child(f"[{i}]", Text(element_text(element, memory)), f"[{i}]")
            for i, element in enumerate(found, start)
        ]

    return index_groups(memory.shape[0], make_rows)


def element_text(element: Element | None, memory: Memory) -> str:
    return "?" if element is None else repr(shortest(element, memory.element.kernel))
