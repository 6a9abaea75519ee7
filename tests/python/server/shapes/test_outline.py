"""The statements of a text that is edited are those that a text of its own would have."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

import tensorpeek
from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.alignment import Alignment, Placed
from tensorpeek.server.shapes.outline import Outline
from tensorpeek.server.shapes.pieces import LONG_CLASS, statements_of
from tensorpeek.server.shapes.statements import Statement, statements
from tensorpeek.server.source import Source

URI = "file:///net.py"
MEMBER = "    def m(self, x):\n        '''Doc\n    of it\n        '''\n        return x @ x.T\n\n"
CLASS = (
    f"@dec(\n    1)\nclass Long(\n    Base,\n):\n    '''A\n    b\n    '''\n    a = 1\n{MEMBER * 6}    b = 2\n"
)
assert CLASS.count("\n") > LONG_CLASS
PARTS = (
    "import a\n",
    "x = '''\nclass A:\n    y = 1\n'''\n",
    "s = f'{1}' \\\n  + 'é😀'\n",
    "if a:\n    b\nelse:\n    c\n",
    "try:\n\tf()\nexcept E:\n\tg()\n",
    "# comment\n\n",
    "@dec\n# why\ndef f(a,\n      b):\n    return [\na,\nb]\n",
    "match a:\n    case 1:\n        b\n",
    "é = (1,\n2)\r\n",
    "\x0cz = 1; w = 2\n",
    CLASS,
)
TYPED = (*PARTS, "", " ", "\n", "(", ")", "'''", '"', ":", "    ", "x", "\\", "#", "@", "class B:\n", "\t")


def seen(of: list[Statement]) -> list[tuple[object, ...]]:
    return [(each.function, each.start, each.end, each.key) for each in of]


def lines_of_nodes(of: list[Statement]) -> list[int]:
    return [each.node.lineno + each.shift for each in of]


edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(TYPED)), min_size=1, max_size=6
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=6), edits)
def test_after_any_edits_as_from_scratch(parts: list[str], changes: list[tuple[float, int, str]]) -> None:
    documents, outline = Documents(), Outline()
    documents.open(URI, "".join(parts))
    first = documents.get(URI)
    assert first is not None
    valid = statements(first) or []
    outline.statements(first)
    for share, length, text in changes:
        source = documents.get(URI)
        assert source is not None
        start = int(share * len(source.text))
        end = min(start + length, len(source.text))
        positions = (types.Position(*source.position_of_offset(at)) for at in (start, end))
        change = types.TextDocumentContentChangePartial(text=text, range=types.Range(*positions))
        documents.change(URI, [change])
        now = documents.get(URI)
        assert now is not None
        found, wanted = outline.statements(now), statements(now)
        if wanted is not None:
            assert seen(found) == seen(wanted)
            assert lines_of_nodes(found) == lines_of_nodes(wanted)
            assert said(Alignment(valid, found)) == said(Alignment(valid, wanted))
        else:
            assert all(stands_there(each, now) for each in found)


def said(alignment: Alignment) -> list[tuple[object, ...]]:
    def one(placed: Placed) -> tuple[object, ...]:
        return placed.traced.start, placed.present.start, placed.stale

    return [one(each) for each in alignment.placed]


def stands_there(statement: Statement, source: Source) -> bool:
    first, last = statement.start[0] - 1, statement.end[0] - 1
    text = source.line_text(first).encode()[statement.start[1] :]
    if first == last:
        text = text[: statement.end[1] - statement.start[1]]
    return statement.key.partition("\n")[0].endswith(text.decode())


SOURCES = sorted(Path(tensorpeek.__file__).parent.joinpath("server").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_our_own_files_are_sequences_of_pieces(path: Path) -> None:
    source = Source(path.read_text("utf-8"))
    wanted = statements(source)
    assert wanted is not None
    assert seen(statements_of(source.lines, {}, {})) == seen(wanted)


def test_only_what_changed_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    outline = Outline()
    text = "import a\n" + CLASS + "y = 1\n"
    outline.statements(Source(text))
    monkeypatch.setattr(
        "tensorpeek.server.shapes.pieces.of_body", lambda *given: parsed.append(given[-1]) or []
    )
    outline.statements(Source("# above\n" + text.replace("b = 2", "b = 3")))
    assert parsed == [["# above", "import a"], ["", "    b = 3"]]


def test_while_a_line_is_typed_the_others_stay_where_they_are() -> None:
    outline = Outline()
    outline.statements(Source("def f(x):\n    a = x\n    b = a\n    return b\n"))
    found = outline.statements(Source("def f(x):\n    a = x\n    c = (\n    b = a\n    return b\n"))
    assert [(each.start[0], each.key) for each in found] == [
        (1, "FunctionDef f def f(x"),
        (2, "Assign  a = x"),
        (4, "Assign  b = a"),
        (5, "Return  return b"),
    ]
