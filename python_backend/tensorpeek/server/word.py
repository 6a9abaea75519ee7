"""Which character and which word a caret between two characters means."""

from __future__ import annotations


def target_character(text: str, offset: int) -> int | None:
    """The offset of the character meant: words win over punctuation, punctuation over blanks."""
    if _is_word(text[offset : offset + 1]):
        return offset
    before = text[offset - 1 : offset] if offset > 0 else ""
    if _is_word(before):
        return offset - 1
    if text[offset : offset + 1].strip():
        return offset
    return offset - 1 if before.strip() else None


def word_around(text: str, target: int) -> tuple[int, int] | None:
    """The span of the word that holds the character at `target`."""
    start = end = target
    while start > 0 and _is_word(text[start - 1]):
        start -= 1
    while end < len(text) and _is_word(text[end]):
        end += 1
    return (start, end) if start <= target < end else None


def _is_word(character: str) -> bool:
    # As Python sees it, which takes combining marks into names where `isalnum` does not.
    return bool(character) and f"_{character}".isidentifier()
