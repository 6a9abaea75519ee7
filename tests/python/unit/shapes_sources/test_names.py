"""Dims that follow the batch are named, and only those."""

from __future__ import annotations

import sys

import torch
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.shapes import pair_trace
from tensorpeek.probe.shapes.examples import parsed_comments
from tensorpeek.probe.shapes.names import readable
from tensorpeek.probe.shapes.tracer import Tracer


def test_a_symbol_is_replaced_where_it_is_whole() -> None:
    names = {"s0": "B", "s77": "T"}

    assert readable("(s0//2)", names) == "B//2"
    assert readable("4*s77", names) == "4*T"
    assert readable("((s0 - 1)//4) + s77", names) == "((B - 1)//4) + T"
    assert readable("64", names) == "64"


def test_a_sum_of_lengths_does_not_follow_the_batch() -> None:
    dim = pair_trace._dim  # pyright: ignore[reportPrivateUsage]

    assert [dim(4, 1, 4, "B"), dim(8, 2, 4, "B"), dim(5, 1, 4, "B")] == ["B", "2*B", "B + 1"]
    assert [dim(33, 9, 4, "B"), dim(7, 0, 4, "B"), dim(7, -1, 4, "B")] == ["33", "7", "7"]


@given(st.text(max_size=80))
def test_any_text_may_hold_comments(text: str) -> None:
    for line, name, expression, _ in parsed_comments(f"# tensorpeek: x = 1\n{text}"):
        assert line > 0
        assert name.isidentifier()
        assert expression


def test_functions_have_their_own_code_again() -> None:
    here = sys.modules[__name__].__file__
    code = _doubled.__code__

    with Tracer(lambda path: path == here) as tracer:
        assert _doubled.__code__ is not code
        _doubled(torch.zeros(2, 3))

    assert _doubled.__code__ is code
    recorder = tracer.recording.files[here or ""]
    shapes = [value["dims"] for seen in recorder.names.values() for value in seen.values]
    assert shapes == [["2", "3"], ["4", "3"]]


def _doubled(x: torch.Tensor) -> torch.Tensor:
    y = torch.cat([x, x])
    return y.relu()
