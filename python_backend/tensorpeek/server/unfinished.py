"""Dotted names and subscripts on one line of a text that does not parse, as while it is being typed.

Works on the tokens of that line alone, and knows nothing of the lines around it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from tensorpeek.server.fstring import field_at
from tensorpeek.server.word import target_character

_TOKEN = re.compile(
    r"""
      (?P<comment> \#.* )
    | (?P<string> [A-Za-z]{0,2} (?: \"{3}.*?(?:\"{3}|$) | '{3}.*?(?:'{3}|$)
                                  | "(?:\\.|[^"\\])*(?:"|$) | '(?:\\.|[^'\\])*(?:'|$) ) )
    | (?P<number> \d[\w.]* )
    | (?P<name> \w+ )
    | (?P<blank> \s+ )
    | (?P<other> . )
    """,
    re.VERBOSE,
)
_NO_VALUES = frozenset(keyword.kwlist)
_OPENING = {"]": "[", ")": "(", "}": "{"}


def chain_at(line: str, column: int) -> tuple[int, int] | None:
    """The span of the chain of names, attributes and subscripts at a caret position, None for none."""
    target = target_character(line, column)
    if target is None:
        return None
    tokens = [token for token in _TOKEN.finditer(line) if token.lastgroup != "blank"]
    index = next((i for i, token in enumerate(tokens) if token.start() <= target < token.end()), None)
    if index is None:
        return None
    token = tokens[index]
    if token.lastgroup == "string":
        return _in_string(line, column, field_at(line, *token.span(), target)) or _subscript_at(tokens, index)
    if token.lastgroup == "name":
        return None if _declares(tokens, index) else _chain_ending(tokens, index)
    if token.group() == ".":
        return _chain_ending(tokens, index + 1) if index + 1 < len(tokens) else None
    return _subscript_at(tokens, index)


def _in_string(line: str, column: int, field: tuple[int, int] | None) -> tuple[int, int] | None:
    if field is None:
        return None
    first, after = field
    inner = chain_at(line[first:after], column - first)
    return None if inner is None else (inner[0] + first, inner[1] + first)


def _declares(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Whether the name is that of a function, a class or a keyword argument."""
    if index > 0 and tokens[index - 1].group() in ("def", "class"):
        return True
    following = [token.group() for token in tokens[index + 1 : index + 3]]
    is_assigned = following[:1] == ["="] and following[1:] != ["="]
    return is_assigned and _opening_around(tokens, index, "(") is not None


def _chain_ending(tokens: Sequence[re.Match[str]], last: int) -> tuple[int, int] | None:
    first = _chain_start(tokens, last)
    return None if first is None else (tokens[first].start(), tokens[last].end())


def _chain_start(tokens: Sequence[re.Match[str]], last: int) -> int | None:
    """The index of the first token of the chain that ends with the name or `]` at index `last`."""
    while last >= 0:
        token = tokens[last]
        if token.group() == "]":
            opening = _matching_opening(tokens, last)
            if opening is None:
                return None
            last = opening - 1
        elif token.lastgroup != "name" or token.group() in _NO_VALUES:
            return None
        elif last > 0 and tokens[last - 1].group() == ".":
            last -= 2
        else:
            return last
    return None


def _subscript_at(tokens: Sequence[re.Match[str]], index: int) -> tuple[int, int] | None:
    """The subscript whose bracket, or whose constant index, the token at `index` is."""
    opening = index if tokens[index].group() == "[" else _opening_around(tokens, index, "[")
    if opening is None:
        return None
    closing = next((i for i in range(opening, len(tokens)) if _matching_opening(tokens, i) == opening), None)
    return None if closing is None else _chain_ending(tokens, closing)


def _opening_around(tokens: Sequence[re.Match[str]], index: int, bracket: str) -> int | None:
    """The innermost bracket open before the token at `index`, if it is the one asked for."""
    depth = 0
    for i in range(index - 1, -1, -1):
        text = tokens[i].group()
        if text in _OPENING:
            depth += 1
        elif text in _OPENING.values():
            if depth == 0:
                return i if text == bracket else None
            depth -= 1
    return None


def _matching_opening(tokens: Sequence[re.Match[str]], closing: int) -> int | None:
    bracket = _OPENING.get(tokens[closing].group())
    return None if bracket is None else _opening_around(tokens, closing, bracket)
