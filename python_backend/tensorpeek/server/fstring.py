"""Where the replacement fields of an f-string lie.

`ast` knows it too, but its positions inside f-strings are only right from Python 3.12 on.
"""

from __future__ import annotations

import re

_LITERAL = re.compile(r"""(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|["'])""")
_WORD = re.compile(r"\w+")
_DEBUG_EQUALS = re.compile(r"=\s*[}!:]")


def field_at(text: str, start: int, end: int, offset: int) -> tuple[int, int] | None:
    """The span of the innermost replacement field's expression that holds the character at `offset`.

    `text[start:end]` is one string literal, or several side by side as Python concatenates them. Returns None
    where `offset` lies in literal text, a conversion or a format.
    """
    found = None
    position = start
    while position < end:
        literal = _LITERAL.match(text, position)
        if literal is None:
            position = _after_comment(text, position) if text[position] == "#" else position + 1
            continue
        reader = _Reader(text, end)
        position = reader.literal(literal)
        for first, after in reader.fields:
            if first <= offset < after and (found is None or after - first < found[1] - found[0]):
                found = first, after
    return found


def _after_comment(text: str, position: int) -> int:
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1


class _Reader:
    """Reads one literal and notes the fields it passes, those inside formats and inner f-strings too."""

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self.fields: list[tuple[int, int]] = []

    def literal(self, opening: re.Match[str]) -> int:
        """Returns the offset after the closing quote."""
        prefix, quote = opening["prefix"].lower(), opening["quote"]
        has_fields = "f" in prefix or "t" in prefix
        position = opening.end()
        while position < self._end:
            if self._text.startswith(quote, position):
                return position + len(quote)
            if self._text[position] == "\\":
                position = self._after_backslash(position, raw="r" in prefix)
            elif has_fields and self._text[position] == "{":
                is_field = not self._text.startswith("{{", position)
                position = self._field(position + 1) if is_field else position + 2
            else:
                position += 1
        return self._end

    def _after_backslash(self, position: int, *, raw: bool) -> int:
        if not raw and self._text.startswith("\\N{", position):
            return self._text.find("}", position) + 1 or self._end
        # It escapes a quote, in a raw string too, but never a brace.
        return position + (1 if self._text.startswith(("\\{", "\\}"), position) else 2)

    def _field(self, first: int) -> int:
        """Reads from after `{` to after its `}`."""
        after = self._expression(first)
        self.fields.append((first, after))
        position = after
        while position < self._end and self._text[position] not in ":}":
            position += 1
        return self._format(position + 1) if self._text.startswith(":", position) else position + 1

    def _expression(self, position: int) -> int:
        depth = 0
        while position < self._end:
            if depth == 0 and self._ends_expression(position):
                return position
            literal = _LITERAL.match(self._text, position)
            word = _WORD.match(self._text, position)
            if literal is not None:
                position = self.literal(literal)
            elif word is not None:
                # As a whole, so that its last letters are not taken for the prefix of a literal.
                position = word.end()
            else:
                depth += (self._text[position] in "([{") - (self._text[position] in ")]}")
                position += 1
        return self._end

    def _ends_expression(self, position: int) -> bool:
        character = self._text[position]
        if character == "!":
            return not self._text.startswith("!=", position)
        if character == "=":
            compares = self._text[position - 1] in "=!<>" or self._text.startswith("==", position)
            return not compares and _DEBUG_EQUALS.match(self._text, position) is not None
        return character in ":}"

    def _format(self, position: int) -> int:
        while position < self._end:
            if self._text[position] == "}":
                return position + 1
            position = self._field(position + 1) if self._text[position] == "{" else position + 1
        return self._end
