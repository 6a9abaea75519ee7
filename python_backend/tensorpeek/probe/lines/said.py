"""Numbers and words in the sentences at a stop."""

from __future__ import annotations

from tensorpeek.probe.tensors.line import number
from tensorpeek.probe.titles import LONGEST_TITLE, clipped


def title(name: str, words: str) -> str:
    """`loss` and `8.2, usual 0.31` in one short text; the name gives way."""
    room = LONGEST_TITLE - len(words) - 1
    return clipped(f"{clipped(name, room)} {words}" if room > 2 else words)


__all__ = ("number", "title")
