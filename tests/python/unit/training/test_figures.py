"""Numbers, shares and lists of names in the words of findings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.training.figures import count, figure, listed, share


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (64.0, "64"),
        (30000.0, "30,000"),
        (0.012345, "0.0123"),
        (1.23e-7, "1.23e-07"),
        (60899.3, "60,899"),
        (2.5e9, "2.5e+09"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "−Inf"),
        (None, "unknown"),
    ],
)
def test_a_figure(value: float | None, text: str) -> None:
    assert figure(value) == text


@given(st.floats())
def test_a_figure_is_short(value: float) -> None:
    assert 1 <= len(figure(value)) <= 11


def test_only_all_is_a_hundred_percent() -> None:
    assert [share(part) for part in (0.97, 0.99999, 1.0)] == ["97 %", "99.9 %", "100 %"]


def test_numbers_of_things() -> None:
    assert [count(1, "step"), count(3, "step"), count(2, "batch", "batches")] == [
        "1 step",
        "3 steps",
        "2 batches",
    ]


def test_names() -> None:
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b"]) == "`a` and `b`"
    assert listed("abcdef") == "`a`, `b`, `c` and 3 more"
