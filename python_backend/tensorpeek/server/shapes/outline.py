"""The statements of one open text, version after version."""

from __future__ import annotations

from tensorpeek.server.shapes.pieces import Known, NotInPieces, statements_of
from tensorpeek.server.shapes.statements import Statement, statements
from tensorpeek.server.source import Source


class Outline:
    """Parses what an edit has changed, and no more where that is enough."""

    def __init__(self) -> None:
        self._source = Source("")
        self._valid = self._source
        """The last one that is Python."""
        self._valid_statements: list[Statement] = []
        self._statements: list[Statement] = []
        self._known: Known = {}

    def statements(self, source: Source) -> list[Statement]:
        """In the order of the text. While that is not valid Python, those whose lines are as they were."""
        if source is not self._source:
            self._source = source
            self._statements = self._read(source)
        return self._statements

    def _read(self, source: Source) -> list[Statement]:
        used: Known = {}
        try:
            found = statements_of(source.lines, self._known, used)
            self._known = used
        except NotInPieces:
            found = statements(source)
        if found is None:
            return _still_there(self._valid_statements, self._valid, source)
        self._valid, self._valid_statements = source, found
        return found


def _still_there(of: list[Statement], before: Source, source: Source) -> list[Statement]:
    """Those above and below of what differs between two texts."""
    old, new = before.lines, source.lines
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    moved = len(new) - len(old)
    above = [each for each in of if each.end[0] <= head]
    below = [each.shifted(moved) for each in of if each.start[0] > len(old) - tail]
    return above + below
