"""The texts that the editor has open, kept in step with it by incremental changes.

pygls keeps texts too, but splits lines as `str.splitlines` does, and so applies a change to the wrong line
below a form feed or another of the separators that are no line end for an editor.
"""

from __future__ import annotations

from collections.abc import ItemsView, Sequence

from lsprotocol.types import (
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

from tensorpeek.server.source import Source


class Documents:
    """The newest version of each open text."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}

    def get(self, uri: str) -> Source | None:
        """None for a text that is not open."""
        return self._sources.get(uri)

    def items(self) -> ItemsView[str, Source]:
        """Every open text by its URI."""
        return self._sources.items()

    def open(self, uri: str, text: str) -> None:
        self._sources[uri] = Source(text)

    def change(self, uri: str, changes: Sequence[TextDocumentContentChangeEvent]) -> None:
        """Applies changes in order; each one's range is meant in the text that the one before it left."""
        source = self._sources.get(uri, Source(""))
        for change in changes:
            is_partial = isinstance(change, TextDocumentContentChangePartial)
            source = Source(_replaced(source, change.range, change.text) if is_partial else change.text)
        self._sources[uri] = source

    def close(self, uri: str) -> None:
        self._sources.pop(uri, None)


def _replaced(source: Source, where: Range, text: str) -> str:
    start = source.offset_of_position(where.start.line, where.start.character)
    end = source.offset_of_position(where.end.line, where.end.character)
    return source.text[:start] + text + source.text[max(start, end) :]
