"""What the rewritten code tells, kept within bounds."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.probe.shapes.rewrite import BLOCK, ELEMENT, EXPRESSION, FUNCTION, NAME, Rewritten
from tensorpeek.probe.shapes.values import described, entries, tensor

MOST_VALUES = 20
MOST_ORDER = 200
MOST_KEPT = 100_000
"""Values of a file, for all of its expressions together."""
MOST_LOOKS, THEN_EVERY = 1_000, 64
"""In a long loop, what takes time to look at is looked at now and then."""
UNCHANGING = (type(None), bool, int, float, str)


@dataclass
class Seen:
    """Of one expression or name."""

    calls: int = 0
    values: list[ShapeValue] = field(default_factory=list[ShapeValue])
    order: list[int] = field(default_factory=list[int])
    by_key: dict[Any, int] = field(default_factory=dict[Any, int])
    """Where a plain tensor's shape, dtype and device are in `values`; -1 where they had no room."""


class Recorder:
    """Of one file; hears only the thread that traces, and nothing when it is closed."""

    def __init__(self, file: Rewritten) -> None:
        self.file = file
        self.expressions: dict[int, Seen] = {}
        self.names: dict[int, Seen] = {}
        self.functions: dict[int, int] = {}
        self.blocks: set[int] = set()
        self.is_truncated = False
        self.is_faulty = False
        self._thread = get_ident()
        self._is_open = True
        self._kept = 0
        self._silent: set[type] = set(UNCHANGING)
        """Classes whose values are no tensors and hold none."""
        torch = sys.modules.get("torch")
        core = getattr(torch, "_C", None)
        self._plain = (getattr(torch, "Tensor", None), getattr(getattr(torch, "nn", None), "Parameter", None))
        self._modes: Callable[[], int] = getattr(core, "_len_torch_function_stack", lambda: 1)
        self._tracing: Callable[[], Any] = getattr(core, "_get_tracing_state", lambda: None)

    def close(self) -> None:
        """Generators that are under way keep the rewritten code, which is silent from now on."""
        self._is_open = False
        self._silent.clear()

    def callbacks(self) -> dict[str, Callable[..., Any]]:
        return {
            EXPRESSION: self._expression,
            NAME: self._name,
            ELEMENT: self._element,
            BLOCK: self._block,
            FUNCTION: self._function,
        }

    def _expression(self, number: int, value: Any) -> Any:
        if type(value) not in self._silent:
            self._add(self.expressions, number, value)
        return value

    def _name(self, number: int, value: Any) -> Any:
        if type(value) not in self._silent:
            self._add(self.names, number, value)
        return value

    def _element(self, number: int, value: Any) -> bool:
        self._name(number, value)
        return True

    def _block(self, line: int) -> None:
        if self._is_open and get_ident() == self._thread:
            self.blocks.add(line)

    def _function(self, number: int) -> None:
        if self._is_open and get_ident() == self._thread:
            self.functions[number] = self.functions.get(number, 0) + 1

    def _add(self, table: dict[int, Seen], number: int, value: Any) -> None:
        if not self._is_open or get_ident() != self._thread:
            return
        try:
            seen = table.get(number)
            # Torch's jit writes down that a tensor is asked for its shape; a mode of the user's hears it.
            if self._tracing() is not None:
                return
            if type(value) in self._plain and not self._modes():
                if seen is None:
                    seen = table[number] = Seen()
                self._add_plain(seen, value)
                return
            if seen is not None and seen.calls >= MOST_LOOKS and seen.calls % THEN_EVERY:
                seen.calls += 1
                return
            shape = described(value)
            if shape is not None:
                if seen is None:
                    seen = table[number] = Seen()
                self._note(seen, self._index(seen, shape))
            elif entries(type(value), value) is None and type(value) not in self._plain:
                self._silent.add(type(value))
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            self.is_faulty = True

    def _add_plain(self, seen: Seen, value: Any) -> None:
        key = value.shape, value.dtype, value.device
        try:
            index = seen.by_key.get(key)
        except TypeError:  # a size that is a symbol
            self._note(seen, self._index(seen, tensor(value)))
            return
        if index is None:
            index = self._index(seen, tensor(value))
            if len(seen.by_key) < MOST_ORDER:
                seen.by_key[key] = index
        self._note(seen, index)

    def _index(self, seen: Seen, shape: ShapeValue) -> int:
        if shape in seen.values:
            return seen.values.index(shape)
        size = 1 + len(shape["items"])
        if len(seen.values) >= MOST_VALUES or self._kept + size > MOST_KEPT:
            self.is_truncated = True
            return -1
        self._kept += size
        seen.values.append(shape)
        return len(seen.values) - 1

    def _note(self, seen: Seen, index: int) -> None:
        seen.calls += 1
        if index >= 0 and len(seen.order) < MOST_ORDER:
            seen.order.append(index)
