"""Numbers and words in the sentences at a stop."""

from __future__ import annotations

from tensorpeek.probe.tensors.line import number

LONGEST_TITLE = 31
"""Characters that the header of the call stack has room for."""


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def title(name: str, words: str) -> str:
    """`loss` and `8.2, usual 0.31` in one short text; the name gives way."""
    room = LONGEST_TITLE - len(words) - 1
    return clipped(f"{clipped(name, room)} {words}" if room > 2 else words, LONGEST_TITLE)


__all__ = ("clipped", "number", "title")
