"""Spikes and plateaus in a series of numbers."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.probe.training.series import Plateau, Spike

ANY_NUMBERS = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=200)
SEEDS = st.integers(0, 2**32)


def found_at(values: list[float], **settings: float) -> list[int]:
    spike = Spike(**settings)  # pyright: ignore[reportArgumentType]
    return [index for index, value in enumerate(values) if spike.add(value)]


def noisy(seed: int, count: int, level: float = 2.0, noise: float = 0.1) -> list[float]:
    draw = random.Random(seed)
    return [level * math.exp(draw.gauss(0, noise)) for _ in range(count)]


@given(ANY_NUMBERS, st.floats(0, 100), st.integers(0, 100), st.integers(0, 100))
def test_no_number_is_too_strange(values: list[float], factor: float, window: int, warmup: int) -> None:
    found_at(values, factor=factor, window=window, warmup=warmup)
    plateau = Plateau(window)
    for value in values:
        plateau.add(value)


@given(SEEDS)
@settings(max_examples=30)
def test_a_planted_spike_is_found_and_nothing_else(seed: int) -> None:
    values = noisy(seed, 300)
    values[200] = 20.0
    assert found_at(values) == [200]


@given(SEEDS, st.floats(-6, 6))
@settings(max_examples=30)
def test_the_scale_of_a_loss_does_not_matter(seed: int, exponent: float) -> None:
    values = noisy(seed, 150, noise=0.5)
    values[120] *= 100
    assert found_at(values) == found_at([value * 10**exponent for value in values])


@given(st.lists(st.floats(1e-3, 1), min_size=30, max_size=200))
def test_what_only_falls_never_spikes(steps: list[float]) -> None:
    level, values = 1e6, []
    for step in steps:
        level *= 1 - step * 0.5
        values.append(level)
    assert found_at(values) == []


@pytest.mark.parametrize("ratio", [1.2, 1.5, 3.0])
def test_a_divergence_does_not_hide_itself(ratio: float) -> None:
    values = noisy(1, 100, noise=0.03) + [2 * ratio**power for power in range(1, 20)]
    assert 100 <= found_at(values)[0] < 108


def test_what_comes_back_now_and_then_is_usual() -> None:
    draw = random.Random(0)
    values = [5.0 if draw.random() < 0.2 else 0.1 + 0.01 * draw.random() for _ in range(2000)]
    assert found_at(values) in ([], [20])


def test_rare_peaks_of_one_height_are_told_of_once_in_a_while() -> None:
    values = noisy(3, 1000)
    for index in range(100, 1000, 60):
        values[index] = 30.0
    assert found_at(values) == [100]


def test_a_series_of_both_signs_is_compared_by_distance() -> None:
    draw = random.Random(2)
    values = [draw.gauss(0, 1) for _ in range(500)]
    values[400] = 40.0
    assert found_at(values) == [400]


def test_a_fall_is_no_spike() -> None:
    values = noisy(4, 100)
    values[80] = 1e-9
    assert found_at(values) == []


def test_mostly_zeros_with_some_values_are_usual() -> None:
    assert found_at([0.0, 0.0, 0.0, 0.7] * 50) == []


def test_nothing_is_said_in_the_warm_up() -> None:
    values = noisy(5, 100)
    values[30] = 1e9
    assert found_at(values, warmup=40) == []


def test_nan_and_inf_are_spikes_that_leave_no_trace() -> None:
    spike = Spike()
    for value in noisy(6, 60):
        spike.add(value)
    before = list(spike.values)
    found = spike.add(math.nan)
    assert found is not None
    assert found.score == math.inf
    assert spike.add(math.inf)
    assert list(spike.values) == before


def test_a_spike_says_what_is_usual() -> None:
    spike = Spike()
    for value in noisy(7, 60):
        spike.add(value)
    found = spike.add(50.0)
    assert found is not None
    assert found.usual == pytest.approx(2.0, rel=0.1)
    assert 2.0 < found.limit < 50.0
    assert found.score > 8


def plateaus_at(values: list[float], window: int = 200, fall: float = 0.001) -> list[int]:
    plateau = Plateau(window, fall)
    return [index for index, value in enumerate(values) if plateau.add(value)]


@given(SEEDS, st.floats(0.0, 0.5))
@settings(max_examples=30)
def test_a_series_that_stays_where_it_is_is_found(seed: int, noise: float) -> None:
    assert plateaus_at(noisy(seed, 1200, noise=noise))


@given(SEEDS, st.floats(0.0, 0.3))
@settings(max_examples=30)
def test_a_series_that_falls_through_its_noise_is_no_plateau(seed: int, noise: float) -> None:
    values = [value * math.exp(-index / 200) for index, value in enumerate(noisy(seed, 1000, noise=noise))]
    assert plateaus_at(values) == []


def test_a_plateau_is_told_of_once_per_window() -> None:
    assert plateaus_at([1.0] * 1000, window=200) == [219, 419, 619, 819]
