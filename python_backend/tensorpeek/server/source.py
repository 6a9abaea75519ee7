"""A Python text, its syntax tree, and the three ways in which its characters are counted.

Offsets count characters (code points) from the start of the text. The editor counts lines and UTF-16 code
units, `ast` counts lines and UTF-8 bytes. A line ends with `\\n`, `\\r\\n` or `\\r`, for the editor and for
Python alike; `str.splitlines` would also split at form feeds and the like.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from functools import cached_property
from typing import Any

_LINE_END = re.compile(r"\r\n|\r|\n")
_FIRST_ASTRAL = 0x10000


class Source:
    """One version of a text. Made once per version, so that what is costly is done once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree, None while the text is not valid Python."""
        with warnings.catch_warnings():
            # An invalid escape in the user's string is not for our log.
            warnings.simplefilter("ignore")
            try:
                return ast.parse(self.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None

    @cached_property
    def lines(self) -> list[str]:
        """All of them, without their ends."""
        ends = [*self._starts[1:], len(self.text)]
        return [self.text[start:end].rstrip("\r\n") for start, end in zip(self._starts, ends, strict=True)]

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The 0-based line that holds the character at `offset`."""
        return bisect_right(self._starts, offset) - 1

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_text(self, line: int) -> str:
        """The line without its end."""
        return self.lines[line]

    def offset_of_position(self, line: int, character: int) -> int:
        """The offset of an editor's position. What lies outside the text becomes the nearest place in it."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        return self._starts[line] + _characters_of_utf16(self.line_text(line), character)

    def position_of_offset(self, offset: int) -> tuple[int, int]:
        """The editor's position of `offset`: 0-based line, UTF-16 code units."""
        line = self.line_of(offset)
        return line, utf16_length(self.text[self._starts[line] : offset])

    def span(self, node: Any) -> tuple[int, int]:
        """The offsets of the first character of a node of `ast` and of the one after it."""
        return (
            self._offset_of_byte(node.lineno, node.col_offset),
            self._offset_of_byte(node.end_lineno, node.end_col_offset),
        )

    def _offset_of_byte(self, line_number: int, byte: int) -> int:
        text = self.line_text(line_number - 1)
        characters = byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))
        return self._starts[line_number - 1] + characters


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units."""
    return len(text) if text.isascii() else len(text) + sum(ord(c) >= _FIRST_ASTRAL for c in text)


def _characters_of_utf16(text: str, units: int) -> int:
    if text.isascii():
        return max(0, min(units, len(text)))
    counted = 0
    for index, character in enumerate(text):
        if counted >= units:
            return index
        counted += 2 if ord(character) >= _FIRST_ASTRAL else 1
    return len(text)
