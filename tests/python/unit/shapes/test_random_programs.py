"""Programs made at random do rewritten what they do as they are, and places are those of the text."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.probe.shapes.tracer import Tracer

from .syntax.same import told, wrong_places

NAMES = st.sampled_from(["a", "b", "ä", "rows"])
ATOMS = st.one_of(
    NAMES,
    st.integers(-3, 9).map(str),
    st.sampled_from(["'é'", "[1, 2]", "{'k': 3}", "None", "(1,)", "f'{a}ö'"]),
)
BINARY = st.sampled_from(["+", "-", "*", "//", "%", "<", "==", "and", "or", "in", "is not", "@"])
NEWLINE = st.sampled_from(["", "\n        ", "  "])


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, NEWLINE, BINARY, NEWLINE, inner).map(
            lambda p: f"({p[0]}{p[1]} {p[2]} {p[3]}{p[4]})"
        ),
        st.tuples(inner, NEWLINE, inner).map(lambda p: f"({p[0]})[{p[1]}{p[2]}]"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]})[{p[1]}:]"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        st.tuples(inner, NEWLINE).map(lambda p: f"len({p[1]}{p[0]})"),
        inner.map(lambda e: f"(not {e})"),
        inner.map(lambda e: f"(-({e}))"),
        inner.map(lambda e: f"({e}).real"),
        inner.map(lambda e: f"(w := {e})"),
        # Python allows no `:=` in what a comprehension goes through, nor in one of a class.
        st.tuples(inner, ATOMS, inner).map(lambda p: f"[{p[0]} for q in [{p[1]}] if {p[2]}]"),
        st.tuples(inner, inner).map(lambda p: f"(lambda a, *c: {p[0]})({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"g(*[{p[0]}], key={p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"[*({p[0]},), {p[1]}]"),
    )


EXPRESSIONS = st.recursive(ATOMS, _combined, max_leaves=6)


def _indented(block: str) -> str:
    return "\n".join("    " + line for line in block.split("\n"))


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(EXPRESSIONS, inner, inner)
    return st.one_of(
        st.tuples(inner, inner).map("\n".join),
        two.map(lambda p: f"if {p[0]}:\n{_indented(p[1])}\nelse:\n{_indented(p[2])}"),
        two.map(
            lambda p: f"for i, ä in enumerate([{p[0]}, 1]):\n{_indented(p[1])}\nelse:\n{_indented(p[2])}"
        ),
        two.map(
            lambda p: (
                f"try:\n{_indented(p[1])}\nexcept (TypeError, KeyError):\n    a = {p[0]}\n"
                f"finally:\n{_indented(p[2])}"
            )
        ),
        two.map(lambda p: f"while next(ticks, 0) and ({p[0]}):\n{_indented(p[1])}\n{p[2]}"),
        st.tuples(EXPRESSIONS, inner).map(
            lambda p: f"def h(x, y={p[0]}):\n{_indented(p[1])}\n    yield x\nb = list(h(a))"
        ),
        st.tuples(ATOMS).map(
            lambda p: f"class C:\n    z = {p[0]}\n    def m(self):\n        return __class__.z\na = C().m()"
        ),
    )


STATEMENTS = st.recursive(
    st.one_of(
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"{p[0]}, *b = {p[1]}"),
        st.tuples(NAMES, st.sampled_from(["+", "*", "//", "|", "@"]), EXPRESSIONS).map(
            lambda p: f"{p[0]} {p[1]}= {p[2]}"
        ),
        st.tuples(EXPRESSIONS, EXPRESSIONS, NEWLINE, EXPRESSIONS).map(
            lambda p: f"({p[0]})[{p[1]}] += ({p[2]}{p[3]})"
        ),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda p: f"({p[0]}).x -= {p[1]}"),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda p: f"rows[{p[0]}:] = {p[1]}"),
        EXPRESSIONS.map(lambda e: f"assert {e}, 'é'"),
        EXPRESSIONS.map(lambda e: f"return {e}"),
        EXPRESSIONS,
        st.just("del a"),
    ),
    _blocks,
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(body=STATEMENTS)
def test_a_program_is_the_same(body: str, tmp_path_factory: Any) -> None:
    text = "def g(*a, key=None):\n    return [*a, key]\n\ndef f(a, b):\n    rows, ä, w = [], 1, 2\n"
    text += f"    ticks = iter([1] * 9)\n{_indented(body)}\n    return a, b, rows, ä, w\n"
    path = tmp_path_factory.getbasetemp() / "random_program.py"
    path.write_text(text, "utf-8")
    module = _module(path)

    def call() -> str:
        return told(lambda: module.f(3, [1, "é"]))

    plain = call()
    with Tracer(lambda file: file == str(path), lambda: [module.f, module.g]) as tracer:
        result = call()

    assert result == plain
    (recorder,) = tracer.recording.files.values()
    assert recorder.functions
    assert list(wrong_places(recorder.file)) == []
    assert call() == plain


def _module(path: Path) -> Any:
    """Compiled anew: the file is another each time, within a second."""
    module = ModuleType("random_program")
    source = path.read_text("utf-8")
    with warnings.catch_warnings():
        # As of a number that is called.
        warnings.simplefilter("ignore")
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    # Tracebacks show the file's lines.
    linecache.cache[str(path)] = (len(source), None, source.splitlines(True), str(path))
    return module
