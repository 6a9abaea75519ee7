"""One open text: its statements of now, and where those of its trace are among them."""

from __future__ import annotations

from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.outline import Outline
from tensorpeek.server.shapes.statements import Statement
from tensorpeek.server.shapes.store import Shown
from tensorpeek.server.source import Source


class OpenText:
    """Remembers what it made of the newest version."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._aligned: tuple[Shown, Source, Alignment] | None = None

    def statements(self, source: Source) -> list[Statement]:
        return self._outline.statements(source)

    def alignment(self, shown: Shown, source: Source) -> Alignment:
        known = self._aligned
        if known is None or known[0] is not shown or known[1] is not source:
            known = shown, source, Alignment(shown.statements, self.statements(source))
            self._aligned = known
        return known[2]
