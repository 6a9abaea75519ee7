"""Places of the syntax tree as an editor counts them."""

from __future__ import annotations

from lsprotocol import types

from tensorpeek.server.shapes.alignment import Span
from tensorpeek.server.shapes.statements import Place
from tensorpeek.server.source import Source, utf16_length


def position(source: Source, place: Place) -> types.Position:
    """A 1-based line and UTF-8 column as a 0-based line and UTF-16 column."""
    line, column = min(max(place[0] - 1, 0), source.line_count - 1), place[1]
    text = source.line_text(line)
    if not text.isascii():
        column = utf16_length(text.encode()[:column].decode(errors="ignore"))
    return types.Position(line, min(column, utf16_length(text)))


def whole_range(source: Source, span: Span) -> types.Range:
    return types.Range(position(source, span[0]), position(source, span[1]))


def place(source: Source, where: types.Position) -> Place:
    """The other way round."""
    if where.line >= source.line_count:
        return source.line_count + 1, 0
    text = source.line_text(where.line)
    if text.isascii():
        return where.line + 1, where.character
    start = source.line_start(where.line)
    offset = source.offset_of_position(where.line, where.character)
    return where.line + 1, len(source.text[start:offset].encode())
