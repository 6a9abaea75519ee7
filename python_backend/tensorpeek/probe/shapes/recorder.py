"""What the rewritten code tells, kept within bounds."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeValue
from tensorpeek.probe.shapes.kept import KeptTargets
from tensorpeek.probe.shapes.rewriting.placeholders import (
    BLOCK,
    ELEMENT,
    EXPRESSION,
    FUNCTION,
    KEEP_BASE,
    KEEP_INDEX,
    KEPT_BASE,
    KEPT_INDEX,
    NAME,
    PLAIN,
)
from tensorpeek.probe.shapes.rewriting.rewritten import Rewritten
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
        self._shapes: dict[int, dict[Any, ShapeValue]] = {}
        """Of plain tensors, by the class's address: in a small step each place would make its own anew."""
        self._silent: dict[int, type] = {id(kind): kind for kind in UNCHANGING}
        """Classes whose values neither are nor hold tensors; by address: a class may define its hash."""
        torch = sys.modules.get("torch")
        core = getattr(torch, "_C", None)
        self._tensor = getattr(torch, "Tensor", None)
        self._parameter = getattr(getattr(torch, "nn", None), "Parameter", None)
        self._modes: Callable[[], int] = getattr(core, "_len_torch_function_stack", lambda: 1)
        self._tracing: Callable[[], Any] = getattr(core, "_get_tracing_state", lambda: None)

    def hear_this_thread(self) -> None:
        """And no other; at first it is the one that has made it."""
        self._thread = get_ident()

    def close(self) -> None:
        """Generators that are under way keep the rewritten code, which is silent from now on."""
        self._is_open = False
        self._silent.clear()

    def callbacks(self) -> dict[str, Callable[..., Any]]:
        """By placeholder."""
        kept = KeptTargets()
        return {
            **PLAIN,
            EXPRESSION: self._expression,
            NAME: self._name,
            ELEMENT: self._element,
            BLOCK: self._block,
            FUNCTION: self._function,
            KEEP_BASE: kept.keep_base,
            KEEP_INDEX: kept.keep_index,
            KEPT_BASE: kept.base,
            KEPT_INDEX: kept.index,
        }

    def _expression(self, number: int, value: Any) -> Any:
        if id(type(value)) not in self._silent:
            self._add(self.expressions, number, value)
        return value

    def _name(self, number: int, value: Any) -> Any:
        if id(type(value)) not in self._silent:
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
            kind = type(value)
            is_plain = kind is self._tensor or kind is self._parameter
            if is_plain and not self._modes():
                if seen is None:
                    seen = table[number] = Seen()
                self._add_plain(seen, kind, value)
                return
            if seen is not None and seen.calls >= MOST_LOOKS and seen.calls % THEN_EVERY:
                seen.calls += 1
                return
            shape = described(value)
            if shape is not None:
                if seen is None:
                    seen = table[number] = Seen()
                self._note(seen, self._index(seen, shape))
            elif not is_plain and entries(kind, value) is None:
                self._silent[id(kind)] = kind
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            self.is_faulty = True

    def _add_plain(self, seen: Seen, kind: type, value: Any) -> None:
        key = value.shape, value.dtype, value.device
        try:
            index = seen.by_key.get(key)
        except TypeError:  # a size that is a symbol
            self._note(seen, self._index(seen, tensor(value)))
            return
        if index is None:
            of_kind = self._shapes.setdefault(id(kind), {})
            shape = of_kind.get(key) or of_kind.setdefault(key, tensor(value))
            index = self._index(seen, shape)
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
