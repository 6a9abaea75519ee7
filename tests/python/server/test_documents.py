"""Incremental changes leave the text that the editor has."""

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import (
    Position,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from tensorpeek.server.documents import Documents
from tensorpeek.server.source import Source, utf16_length

URI = "file:///train.py"
texts = st.text("ab\n\r\f\u2028é😀", max_size=20)


def partial(before: str, start: int, end: int, text: str) -> TextDocumentContentChangePartial:
    """A change as an editor sends it for characters `start` to `end` of `before`."""
    source = Source(before)
    first, after = (Position(*source.position_of_offset(offset)) for offset in (start, end))
    return TextDocumentContentChangePartial(text=text, range=Range(start=first, end=after))


@given(texts, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), texts), max_size=5))
def test_a_sequence_of_changes(text: str, edits: list[tuple[int, int, str]]) -> None:
    documents = Documents()
    documents.open(URI, text)
    changes = []
    for first, second, typed in edits:
        start, end = sorted((min(first, len(text)), min(second, len(text))))
        # A position between `\r` and `\n` does not exist for an editor.
        if "\r\n" in (text[start - 1 : start + 1], text[end - 1 : end + 1]):
            continue
        changes.append(partial(text, start, end, typed))
        text = text[:start] + typed + text[end:]
    documents.change(URI, changes)
    source = documents.get(URI)
    assert source is not None
    assert source.text == text


@given(texts, st.integers(0, 20))
def test_positions_count_utf16_code_units(text: str, at: int) -> None:
    source = Source(text)
    offset = min(at, len(text))
    line, character = source.position_of_offset(offset)
    before = text[source.line_start(line) : offset]
    assert character == utf16_length(before) == len(before.encode("utf-16-le")) // 2
    if text[offset - 1 : offset + 1] != "\r\n":
        assert source.offset_of_position(line, character) == offset


def test_a_change_of_everything_and_a_close() -> None:
    documents = Documents()
    documents.open(URI, "a")
    documents.change(URI, [TextDocumentContentChangeWholeDocument(text="b")])
    source = documents.get(URI)
    assert source is not None
    assert source.text == "b"
    documents.close(URI)
    documents.close(URI)
    assert documents.get(URI) is None


def test_a_range_beyond_the_end_is_cut() -> None:
    documents = Documents()
    documents.open(URI, "ab\n")
    where = Range(start=Position(0, 1), end=Position(9, 9))
    documents.change(URI, [TextDocumentContentChangePartial(text="c", range=where)])
    source = documents.get(URI)
    assert source is not None
    assert source.text == "ac"
