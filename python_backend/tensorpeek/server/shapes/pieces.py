"""A text in pieces that can be parsed alone: the statements of its own level, and those of its classes.

Where each piece is valid by itself, ends its last line and is followed by one that begins a statement on the
same level, the text is their sequence: so a piece that has not changed need not be parsed again.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice

from tensorpeek.server.shapes.statements import MODULE, Statement, head_of, of_body

Known = dict[tuple[str, str], list[Statement]]
"""By what their names begin with and by their text; they stand where they stood last."""
LONG_CLASS = 30
"""Lines from which on a class is not parsed as one."""
MOST_JOINED = 500
"""Lines of a piece that is only tried since a shorter one is unfinished."""
MOST_HEADS = 8
_BEGINS = r"(?=[^\s#)\]}])(?!(?:else|elif|except|finally|case)\b)"
_INSIDE = re.compile(r"([ \t]+)[^\s#]")
_UNFINISHED = ("triple-quoted", "never closed", "EOF", "end of file")
"""Of a string or bracket that the next piece may end. The others would be tried in vain."""


class NotInPieces(Exception):
    """The text is no sequence of valid pieces. It may be valid as a whole."""


def statements_of(lines: Sequence[str], known: Known, used: Known) -> list[Statement]:
    """Of a text in lines. Raises `NotInPieces`.

    What is `known` is not parsed; what the text has comes into `used`.
    """
    return [each for part in _of_level(lines, "", "", known, used, 0) for each in part]


def _of_level(
    lines: Sequence[str], indent: str, prefix: str, known: Known, used: Known, above: int
) -> Iterator[list[Statement]]:
    """Of each piece. There are `above` lines before these."""
    starts = [*_starts(lines, indent), len(lines)]
    at = 0
    while at < len(starts) - 1:
        where, joined = above + starts[at], 1
        while True:
            end = min(at + joined, len(starts) - 1)
            piece = lines[starts[at] : starts[end]]
            found = _of_piece(piece, indent, prefix, known, used, where)
            if found is not None:
                break
            joined *= 2
            if end == len(starts) - 1 or len(piece) > MOST_JOINED:
                raise NotInPieces
        yield found
        at = end


def _starts(lines: Sequence[str], indent: str) -> Iterator[int]:
    """The lines on which a statement of this level may begin; what is above the first belongs to it."""
    begins = re.compile(indent + _BEGINS)
    if lines:
        yield 0
    is_first, is_decorated = True, False
    for number, line in enumerate(lines):
        if begins.match(line) is None:
            continue
        if not is_decorated and not is_first:
            yield number
        is_first, is_decorated = False, line.startswith("@", len(indent))


def _of_piece(
    piece: Sequence[str], indent: str, prefix: str, known: Known, used: Known, where: int
) -> list[Statement] | None:
    """Its statements at their place, None where it is unfinished."""
    if not indent and (found := _members(piece, known, used, where)) is not None:
        return found
    text = "\n".join(piece) + "\n"
    # Within a class, what is parsed has one line more.
    moved = where - 1 if indent else where
    found = known.get((prefix, text))
    if found is None:
        body = _parsed(text, indent)
        if body is None:
            return None
        found = of_body(body, MODULE, prefix, ["", *piece] if indent else piece)
    if found and found[0].shift != moved:
        found = [each.shifted(moved - each.shift) for each in found]
    used[prefix, text] = found
    return found


def _parsed(text: str, indent: str) -> list[ast.stmt] | None:
    """The statements of a piece, None where it is unfinished. One of a class's is parsed within a class."""
    with warnings.catch_warnings():
        # An invalid escape in the user's string is not for our log.
        warnings.simplefilter("ignore")
        try:
            body = ast.parse(f"class _:\n{text}" if indent else text).body
        except SyntaxError as error:
            if any(word in str(error.msg) for word in _UNFINISHED):
                return None
            raise NotInPieces from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise NotInPieces from error
    if not indent:
        return body
    outer = body[0]
    if len(body) != 1 or not isinstance(outer, ast.ClassDef):
        raise NotInPieces
    return outer.body


def _members(piece: Sequence[str], known: Known, used: Known, where: int) -> list[Statement] | None:
    """Of a class that is long, None where the piece is none."""
    at = next((at for at, line in enumerate(piece) if line.startswith("class ")), None)
    if at is None or len(piece) < LONG_CLASS:
        return None
    inside = next((match[1] for line in piece[at + 1 :] if (match := _INSIDE.match(line))), None)
    if inside is None:
        return None
    begins = re.compile(inside + _BEGINS)
    for first in islice((at for at in range(at + 1, len(piece)) if begins.match(piece[at])), MOST_HEADS):
        head = piece[:first]
        try:
            body = _parsed("\n".join([*head, f"{inside}pass\n"]), "")
        except NotInPieces:
            return None
        if body is None:
            continue
        node = body[0]
        if len(body) != 1 or not isinstance(node, ast.ClassDef):
            return None
        parts = _of_level(piece[first:], inside, f"{node.name}.", known, used, where + first)
        heads = [head_of(node, MODULE, head).shifted(where)]
        return heads + [each for part in parts for each in part]
    return None
