"""What holds for every text and every place in it."""

import ast
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.server import expression as module
from tensorpeek.server.expression import evaluatable_expression, is_safe
from tensorpeek.server.private_names import with_private_names
from tensorpeek.server.source import Source

REAL_CODE = Path(module.__file__).read_text(encoding="utf-8")

names = st.sampled_from(["x", "self", "größe", "𝒳", "__w", "loss"])
constants = st.sampled_from(["0.5", "-1.5", "'k'", "'😀'", "...", "None"])


def parses(text: str) -> bool:
    return Source(text).tree is not None


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One more layer of what Python code has, safe or not."""
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, names).map("{0[0]}.{0[1]}".format),
        pairs.map("{0[0]}[{0[1]}]".format),
        pairs.map("{0[0]}[{0[1]}:, 1]".format),
        pairs.map("{0[0]}({0[1]}, k={0[0]})".format),
        pairs.map("({0[0]} @ {0[1]})".format),
        pairs.map("({0[0]} <\n {0[1]})".format),
        inner.map("(not {})".format),
        inner.map("[x for x in {}]".format),
        inner.map("(lambda q: {})".format),
        inner.map("(n := {})".format),
        # Before Python 3.12 an f-string takes no comment, backslash or quote of its own kind in its fields.
        inner.map("f'''😀 {{{{ {{ {} :>{{ x }} }} '''".format).filter(parses),
        inner.map("(  # 😀 comment\n {})".format),
    )


expressions = st.recursive(names | constants, combined, max_leaves=8)
statements = st.one_of(
    expressions.map("y = {}\n".format),
    expressions.map("if {}:\n    pass\n".format),
    expressions.map("class Net:\n    def f(self, x=1):\n        return {}\n".format),
    expressions.map("@dec\ndef f(x: int = {}): pass\n".format),
    st.sampled_from(["import a.b as c\n", "'''doc 😀\n'''\n", "# 😀 x.y\n", "\x0cx = 1\n"]),
)
valid_texts = st.lists(statements, min_size=1, max_size=4).map("".join)


def check_every_answer(text: str) -> int:
    """Returns how many places of the text have an expression."""
    source = Source(text)
    answers = 0
    for offset in range(len(text) + 1):
        if text[max(0, offset - 1) : offset + 1] == "\r\n":
            continue  # between the two no editor has a place
        line, character = source.position_of_offset(offset)
        answer = evaluatable_expression(source, line, character)
        if answer is None:
            continue
        answers += 1
        start = (answer["startLine"], answer["startCharacter"])
        end = (answer["endLine"], answer["endCharacter"])
        assert start <= (line, character) <= end, "it covers the place"
        tree = ast.parse(answer["expression"], mode="eval").body
        assert is_safe(tree)
        assert not any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) for node in ast.walk(tree))
        assert "\n" not in answer["expression"]
        first, after = source.offset_of_position(*start), source.offset_of_position(*end)
        written = ast.parse(f"({source.text[first:after]})", mode="eval").body
        stored = {ast.dump(with_private_names(written, name)) for name in ("", "Net")}
        assert ast.dump(tree) in stored, "it is what stands at the range"
    return answers


@settings(max_examples=200, deadline=None)
@given(valid_texts)
def test_in_valid_texts(text: str) -> None:
    assert parses(text), "the strategy makes valid Python"
    check_every_answer(text)


@settings(max_examples=200, deadline=None)
@given(valid_texts, st.data())
def test_in_texts_that_are_being_edited(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    typed = data.draw(st.text("().[]'\"{}:,=x\\# \n😀", max_size=4))
    check_every_answer(text[:start] + typed + text[end:])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_in_any_text(text: str) -> None:
    check_every_answer(text)


def test_in_a_real_file() -> None:
    assert check_every_answer(REAL_CODE) > 1000
