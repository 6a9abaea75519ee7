"""A few numbers as a line of text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.catalogue.sparkline import BARS, LONGEST, NOT_FINITE, sparkline

NUMBERS = st.one_of(st.floats(), st.sampled_from(["nan", "inf", "-inf"]))


def test_it_shows_the_shape_and_the_ends() -> None:
    assert sparkline([0.0, 1.0, 2.0, 7.0]) == "▁▂▃█  0 to 7"


def test_equal_values_are_flat() -> None:
    assert sparkline([3.0, 3.0]) == "▁▁  3 to 3"


@given(st.lists(NUMBERS, max_size=60))
def test_it_has_a_bar_for_each_of_the_last_values_and_never_fails(values: list[float | str]) -> None:
    line = sparkline(values)
    if len(values) < 2:
        assert line == ""
        return
    bars = line.partition(" ")[0]
    assert len(bars) == min(len(values), LONGEST)
    assert set(bars) <= {*BARS, NOT_FINITE}
