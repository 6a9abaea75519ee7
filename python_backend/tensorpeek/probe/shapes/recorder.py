"""What the rewritten code tells, kept within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.probe.shapes.rewrite import BLOCK, EXPRESSION, FUNCTION, NAME, Rewritten
from tensorpeek.probe.shapes.values import described

MOST_VALUES = 20
MOST_ORDER = 200
UNCHANGING = (type(None), bool, int, float, str)


@dataclass
class Seen:
    """Of one expression or name."""

    calls: int = 0
    values: list[ShapeValue] = field(default_factory=list[ShapeValue])
    order: list[int] = field(default_factory=list[int])

    def add(self, value: ShapeValue) -> None:
        self.calls += 1
        if len(self.order) >= MOST_ORDER:
            if len(self.values) < MOST_VALUES and value not in self.values:
                self.values.append(value)
            return
        if value in self.values:
            self.order.append(self.values.index(value))
        elif len(self.values) < MOST_VALUES:
            self.order.append(len(self.values))
            self.values.append(value)


class Recorder:
    """Of one file; hears only the thread that traces, and nothing when it is closed."""

    def __init__(self, file: Rewritten) -> None:
        self.file = file
        self.expressions: dict[int, Seen] = {}
        self.names: dict[int, Seen] = {}
        self.functions: dict[int, int] = {}
        self.blocks: set[int] = set()
        self._thread = get_ident()
        self._is_open = True
        self.is_faulty = False

    def close(self) -> None:
        """Closures that were made meanwhile keep the rewritten code, which is silent from now on."""
        self._is_open = False

    def callbacks(self) -> dict[str, Callable[..., Any]]:
        return {
            EXPRESSION: self._expression,
            NAME: self._name,
            BLOCK: self._block,
            FUNCTION: self._function,
        }

    def _expression(self, number: int, value: Any) -> Any:
        if self._is_open and type(value) not in UNCHANGING:
            self._add(self.expressions, number, value)
        return value

    def _name(self, number: int, value: Any) -> None:
        if self._is_open and type(value) not in UNCHANGING:
            self._add(self.names, number, value)

    def _block(self, line: int) -> None:
        if self._is_open and get_ident() == self._thread:
            self.blocks.add(line)

    def _function(self, number: int) -> None:
        if self._is_open and get_ident() == self._thread:
            self.functions[number] = self.functions.get(number, 0) + 1

    def _add(self, table: dict[int, Seen], number: int, value: Any) -> None:
        if get_ident() != self._thread:
            return
        try:
            shape = described(value)
            if shape is not None:
                table.setdefault(number, Seen()).add(shape)
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            self.is_faulty = True
