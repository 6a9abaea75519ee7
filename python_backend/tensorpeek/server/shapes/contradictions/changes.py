"""What was edited since a trace, and what that leaves as it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensorpeek.server.shapes.alignment import Alignment, Span
from tensorpeek.server.shapes.contradictions.layers import is_same_but_for_sizes, layers_in
from tensorpeek.server.shapes.reaching import Reaching
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.store import Shown


class Changes:
    """The edited statements of one text against the removed ones of its trace."""

    def __init__(self, shown: Shown, alignment: Alignment) -> None:
        self.shown = shown
        self.alignment = alignment
        self.reaching = Reaching(shown)
        self.layers = list(_pairs_of_layers(alignment))
        """Lines that make the same layers as before, of other sizes: the old statement and the new one."""
        paired = {id(statement) for pair in self.layers for statement in pair}
        self.removed = [each for each in alignment.removed if id(each) not in paired]
        """Of all else, what is gone and what is new."""
        self.edited = [each for each in alignment.edited if id(each) not in paired]

    def leave_alone(self, old: Statement, new: Statement) -> bool:
        """Whether what went into a statement is as it was, whatever else was edited: that all comes after it.

        It is `old` in the trace and `new` now. Lines that make layers are not judged here.
        """
        removed = [each for each in self.removed if each is not old]
        edited = [each for each in self.edited if each is not new]
        if not removed and not edited:
            return True
        if self.reaching.is_in_loop(old.node) or self._calls(old) != 1:
            return False
        return all(each.function == old.function and each.start > old.end for each in removed) and all(
            each.function == new.function and each.start > new.end for each in edited
        )

    def present(self, statement: Statement) -> Statement | None:
        """What a traced statement is now, None where it is gone."""
        placed = self.alignment.at(statement.start)
        if placed is not None:
            return placed.present
        return next((new for old, new in self.layers if old is statement), None)

    def _calls(self, statement: Statement) -> int:
        line = statement.start[0]
        around = [each for each in self.shown.file["functions"] if each["line"] <= line <= each["endLine"]]
        return max(around, key=lambda each: each["line"])["calls"] if around else 0


def span_in(statement: Statement, node: ast.expr) -> Span:
    """Of a node of a present statement, in the present text."""
    start = node.lineno + statement.shift, node.col_offset
    return start, ((node.end_lineno or node.lineno) + statement.shift, node.end_col_offset or 0)


def _pairs_of_layers(alignment: Alignment) -> Iterator[tuple[Statement, Statement]]:
    after = [(each, layers_in(each)) for each in alignment.edited]
    for old in alignment.removed:
        before = layers_in(old)
        matching = [
            new
            for new, layers in after
            if new.function == old.function and is_same_but_for_sizes(before, layers)
        ]
        if len(matching) == 1:
            yield old, matching[0]


def owner_of(statement: Statement) -> str:
    """The class whose method a statement is in, by its qualified name."""
    return statement.function.rpartition(".")[0]
