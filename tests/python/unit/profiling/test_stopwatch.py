"""The phases of a step add up, each without those inside of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.probe.profiling import stopwatch
from tensorpeek.probe.profiling.stopwatch import (
    BACKWARD,
    DATA,
    FORWARD,
    OPTIMIZER,
    PHASES,
    TRANSFER,
    Stopwatch,
)


class Clock:
    """Goes on only when a test says so."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(stopwatch, "perf_counter", clock)
    return clock


def test_an_inner_phase_is_not_counted_twice(clock: Clock) -> None:
    watch = Stopwatch()
    outer = watch.enter(OPTIMIZER)
    clock.now += 1
    inner = watch.enter(BACKWARD)
    clock.now += 2
    assert watch.leave(inner) == 2
    clock.now += 4
    assert watch.leave(outer) == 7
    assert watch.take() == [0, 0, 0, 2, 5]
    assert watch.take() == [0] * len(PHASES)


def test_what_lies_between_model_and_backward_pass_is_forward(clock: Clock) -> None:
    watch = Stopwatch()
    model = watch.enter(FORWARD)
    clock.now += 1
    watch.leave(model, leads_to_loss=True)
    clock.now += 2
    moved = watch.enter(TRANSFER)
    clock.now += 4
    watch.leave(moved)
    clock.now += 8
    back = watch.enter(BACKWARD)
    clock.now += 16
    watch.leave(back)
    assert watch.take() == [0, 4, 11, 16, 0]


def test_what_lies_between_an_evaluation_and_the_next_batch_is_not(clock: Clock) -> None:
    watch = Stopwatch()
    model = watch.enter(FORWARD)
    clock.now += 1
    watch.leave(model, leads_to_loss=True)
    clock.now += 2
    watch.leave(watch.enter(DATA))
    clock.now += 4
    watch.leave(watch.enter(BACKWARD))
    assert watch.take() == [0, 0, 1, 0, 0]


def test_a_phase_that_an_exception_left_open_ends_with_the_one_around_it(clock: Clock) -> None:
    watch = Stopwatch()
    outer = watch.enter(DATA)
    watch.enter(FORWARD)
    clock.now += 3
    assert watch.leave(outer) == 3
    assert watch.phase == -1


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 5)), max_size=40))
def test_the_phases_never_add_up_to_more_than_the_time(moves: list[tuple[bool, int, int]]) -> None:
    clock: Any = Clock()
    original, stopwatch.perf_counter = stopwatch.perf_counter, clock
    try:
        watch, depths = Stopwatch(), []
        for enters, phase, seconds in moves:
            if enters:
                depths.append(watch.enter(phase))
            elif depths:
                watch.leave(depths.pop(), leads_to_loss=phase == FORWARD)
            clock.now += seconds
        while depths:
            watch.leave(depths.pop())
        phases = watch.take()
    finally:
        stopwatch.perf_counter = original
    assert min(phases) >= 0
    assert sum(phases) <= clock.now - 1
