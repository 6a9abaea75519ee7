"""Our own variablesReferences: the same for the same path through every stop, so what is expanded stays so.

pydevd numbers objects, so its reference of `x` changes when `x` is bound anew. A path is made of the frame,
the scope and the names below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from tensorpeek.adapter.framing import Message
from tensorpeek.contract.messages import Presentation

FIRST_REFERENCE = 1 << 29
"""Above every reference of pydevd's, which count from 1, so that one of those can pass through unmapped."""

KEPT_PAUSES = 5
"""How many pauses a path that nobody asks for again is remembered."""

Path = tuple[Union[int, str], ...]
"""The reference of the parent (or the kind of root and the frame), and the name in it."""


@dataclass(frozen=True)
class UnfinishedValue:
    """A value whose text is not exact; a click on it asks for the rest."""

    entry: Message
    """The variable as debugpy gave it, with its `name` and debugpy's own `variablesReference`."""
    presentation: Presentation
    path: Path
    pause: int


class _Known:
    __slots__ = ("debugpys", "last_pause", "number", "path", "unfinished")

    def __init__(self, number: int, path: Path) -> None:
        self.number = number
        self.path = path
        self.debugpys = 0
        self.last_pause = 0
        self.unfinished: UnfinishedValue | None = None


class References:
    """The table of one session, in both directions."""

    def __init__(self) -> None:
        self._by_path: dict[Path, _Known] = {}
        self._by_number: dict[int, _Known] = {}
        self._next_number = FIRST_REFERENCE
        self._is_running = True
        self.pause = 0
        """The number of this pause, or of the last one while the program runs."""

    def own(self, path: Path, debugpys: int) -> int:
        """Our reference for the value at this path, which debugpy calls `debugpys` during this pause."""
        return self._known(path, debugpys).number

    def own_unfinished(self, value: UnfinishedValue) -> int:
        """A reference under which the client asks for the exact form of this value."""
        known = self._known((*value.path, "exact"), value.entry["variablesReference"])
        known.unfinished = value
        return known.number

    def debugpys(self, number: int) -> int:
        """debugpy's reference for ours; any other number is debugpy's already."""
        known = self._by_number.get(number)
        return known.debugpys if known else number

    def unfinished_value(self, number: int) -> UnfinishedValue | None:
        known = self._by_number.get(number)
        return known.unfinished if known else None

    def resumed(self) -> None:
        """The program runs on: the next stop begins another pause."""
        self._is_running = True

    def stopped(self) -> None:
        """A pause begins, or goes on where another thread stops too. Forgets paths not asked for lately."""
        if not self._is_running:
            return
        self._is_running = False
        self.pause += 1
        oldest = self.pause - KEPT_PAUSES
        for known in [k for k in self._by_number.values() if k.last_pause < oldest]:
            del self._by_number[known.number], self._by_path[known.path]

    def _known(self, path: Path, debugpys: int) -> _Known:
        known = self._by_path.get(path)
        if known is None:
            known = self._by_path[path] = self._by_number[self._next_number] = _Known(self._next_number, path)
            self._next_number += 1
        known.debugpys = debugpys
        known.last_pause = self.pause
        return known
