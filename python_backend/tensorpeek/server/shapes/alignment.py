"""Where the statements of a traced text are in the text of now, and whether their shapes still hold."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tensorpeek.server.shapes.statements import MODULE, Place, Statement

Span = tuple[Place, Place]


@dataclass(frozen=True)
class Placed:
    """A traced statement that is still there."""

    traced: Statement
    present: Statement
    stale: bool
    """Whether something that its shapes depend on was changed."""

    def moved(self, place: Place) -> Place:
        """A place in the traced statement in the present one."""
        line = place[0] + self.present.start[0] - self.traced.start[0]
        return line, place[1] + self.present.start[1] - self.traced.start[1]


class Alignment:
    """One traced text against one present text."""

    def __init__(self, traced: Sequence[Statement], present: Sequence[Statement]) -> None:
        self.traced = traced
        self._starts = [statement.start for statement in traced]
        self._placed: list[Placed | None] = _aligned(traced, present)
        self._by_present = {id(each.present): each for each in self._placed if each}
        self.edited = [statement for statement in present if id(statement) not in self._by_present]
        """Statements of the present text that were not traced as they are."""
        self.removed = [
            statement for statement, placed in zip(traced, self._placed, strict=True) if placed is None
        ]

    def at_index(self, index: int) -> Placed | None:
        """The traced statement of that number."""
        return self._placed[index]

    @property
    def placed(self) -> list[Placed]:
        """In the order of the traced text."""
        return [each for each in self._placed if each is not None]

    def at(self, place: Place) -> Placed | None:
        """The statement that a place of the traced text is in, None where it is gone."""
        index = bisect_right(self._starts, place) - 1
        return self._placed[index] if index >= 0 else None

    def moved(self, start: Place, end: Place) -> tuple[Span, Placed] | None:
        """A span of the traced text in the present one."""
        placed = self.at(start)
        if placed is None or end > placed.traced.end:
            return None
        return (placed.moved(start), placed.moved(end)), placed


def _aligned(traced: Sequence[Statement], present: Sequence[Statement]) -> list[Placed | None]:
    placed: list[Placed | None] = [None] * len(traced)
    groups, others = _by_function(traced), _by_function(present)
    for function, indices in groups.items():
        places = others.get(function, [])
        old = [traced[index].key for index in indices]
        new = [present[index].key for index in places]
        changed = False
        for tag, start, end, other, other_end in _opcodes(old, new):
            if tag != "equal":
                # What is new in a module's own lines, as one more class, changes nothing that is there.
                changed = changed or (function != MODULE and (end > start or other_end > other))
                continue
            for step in range(end - start):
                at = indices[start + step]
                placed[at] = Placed(traced[at], present[places[other + step]], changed)
    return _with_doubts(traced, placed, groups, present)


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """As difflib has them; equal ends, which are nearly all, are taken off first."""
    if old == new:
        return [("equal", 0, len(old), 0, len(new))]
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    middle = SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    ).get_opcodes()
    moved = [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in middle]
    ends = ("equal", len(old) - tail, len(old), len(new) - tail, len(new))
    return [("equal", 0, head, 0, head), *moved, ends]


def _with_doubts(
    traced: Sequence[Statement],
    placed: list[Placed | None],
    groups: dict[str, list[int]],
    present: Sequence[Statement],
) -> list[Placed | None]:
    """A layer or a constant that is not what it was makes doubtful what was made with it."""
    used = {id(each.present) for each in placed if each is not None}
    doubtful = {
        function.rpartition(".")[0]
        for function, indices in groups.items()
        if function.endswith(".__init__") and any(placed[index] is None for index in indices)
    }
    doubtful |= {
        statement.function.rpartition(".")[0]
        for statement in present
        if statement.function.endswith(".__init__") and id(statement) not in used
    }
    constants = any(
        placed[index] is None and isinstance(traced[index].node, (ast.Assign, ast.AnnAssign))
        for index in groups.get(MODULE, [])
    )
    if not doubtful and not constants:
        return placed
    return [
        Placed(each.traced, each.present, True)
        if each is not None and (constants or each.traced.function.rpartition(".")[0] in doubtful)
        else each
        for each in placed
    ]


def _by_function(of: Sequence[Statement]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index, statement in enumerate(of):
        groups.setdefault(statement.function, []).append(index)
    return groups
