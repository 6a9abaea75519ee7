"""The table of steps stays small, and sums leave out what is unusual."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.probe.profiling.steps import MOST_ROWS, Steps


def of(durations: list[float], window: range = range(0)) -> Steps:
    steps, start = Steps(), 0.0
    for number, seconds in enumerate(durations):
        steps.add(start, seconds, [seconds / 2, 0.0, seconds / 4, 0.0, 0.0], number in window)
        start += seconds
    return steps


def test_the_first_step_and_the_window_are_left_out() -> None:
    steps = of([100.0, *[1.0] * 5, *[9.0] * 3, *[1.0] * 4], window=range(6, 9))
    assert steps.measured() == (9, 9.0, [4.5, 0, 2.25, 0, 0])
    assert steps.start_up_ended == 100.0
    data, *_, other = steps.phases()
    assert (data["share"], data["median"]) == (0.5, 0.5)
    assert (other["name"], other["share"]) == ("other", 0.25)


def test_the_window_counts_where_there_is_little_else() -> None:
    assert of([100.0, 1.0, 9.0, 9.0], window=range(2, 4)).measured()[:2] == (2, 18.0)


def test_a_long_step_is_told_with_what_took_its_time() -> None:
    steps = of([5.0, *[0.01] * 20])
    steps.add(9.0, 1.01, [0.005, 0.0, 0.0025, 1.0, 0.0], False)
    (outlier,) = steps.outliers()
    assert (outlier["step"], outlier["phase"], outlier["phaseSeconds"]) == (21, "backward", 1.0)


def test_backward_passes_before_the_first_step_of_an_optimizer_are_a_part_of_it() -> None:
    steps = of([1.0, 1.0, 1.0])
    steps.join_next()
    steps.add(3.0, 1.0, [0.0] * 5, False)
    assert (steps.count, steps.start_up_ended) == (1, 4.0)
    steps.add(4.0, 1.0, [0.0] * 5, False)
    assert (steps.count, steps.measured()[0]) == (2, 1)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5 * MOST_ROWS))
def test_the_table_is_bounded_and_loses_no_time(count: int) -> None:
    steps = of([0.25] * count)
    table = steps.table()
    rows = len(table["start"])
    assert rows < MOST_ROWS
    assert rows * table["perRow"] <= count < (rows + 1) * table["perRow"]
    assert sum(table["seconds"]) == pytest.approx(0.25 * rows * table["perRow"])
    assert table["start"] == sorted(table["start"])
