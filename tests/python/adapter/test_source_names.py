"""Which names get a value at the end of their line."""

from __future__ import annotations

from textwrap import dedent

from tensorpeek.adapter.source_names import FrameSource, root_name


def uses(text: str, paused_line: int) -> list[tuple[int, str]]:
    return [(use.line, use.expression) for use in FrameSource(dedent(text), paused_line).uses()]


TRAIN = """\
import torch

def step(self, batch, scale=1):
    x = self.fc.weight @ batch["x"]
    y = [x * k for k in range(scale)]
    def inner(z):
        hidden = z
        return hidden
    loss = inner(x).mean()
    later = loss
"""


def test_names_from_the_start_of_the_function_to_the_paused_line() -> None:
    assert uses(TRAIN, 9) == [
        (3, "self"),
        (3, "batch"),
        (3, "scale"),
        (4, "x"),
        (4, "self.fc.weight"),
        (4, "batch"),
        (5, "y"),
        (5, "range"),
        (5, "scale"),
        (9, "loss"),
        (9, "inner"),
        (9, "x"),
    ]


def test_the_innermost_function_counts() -> None:
    assert uses(TRAIN, 7) == [(6, "z"), (7, "hidden"), (7, "z")]


def test_a_module_is_a_scope_too() -> None:
    assert uses("a = 1\nb = a\nc = b\n", 2) == [(1, "a"), (2, "b"), (2, "a")]


def test_each_name_once_per_line() -> None:
    assert uses("a = 1\nb = a + a\n", 2) == [(1, "a"), (2, "b"), (2, "a")]


def test_columns_count_utf16_code_units() -> None:
    (first, second) = FrameSource("x = '\N{GRINNING FACE}' + y", 1).uses()
    assert (first.start_column, first.end_column) == (1, 2)
    assert (second.expression, second.start_column, second.end_column) == ("y", 12, 13)


def test_form_feeds_and_tabs_do_not_shift_lines() -> None:
    assert uses("a = 1\n\x0c\nif a:\n\tb = a\n", 4) == [(1, "a"), (3, "a"), (4, "b"), (4, "a")]


def test_last_assignment_before_the_paused_line() -> None:
    text = "def f(a):\n    b = a\n    for b in a:\n        with a as c:\n            b += 1\n    b = 2\n"
    assert FrameSource(text, 6).assignment_lines() == {"a": 1, "b": 5, "c": 4}


def test_root_names() -> None:
    assert [root_name(e) for e in ('batch["x"][0]', "self.fc.weight", "x", "(a)")] == [
        "batch",
        "self",
        "x",
        "",
    ]
