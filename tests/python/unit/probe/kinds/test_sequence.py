from __future__ import annotations

import array

import pytest


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dict.fromkeys(range(1000)).keys(), "dict_keys[1000] 0, 1, 2, …"),
        ({i: str(i) for i in range(1000)}.values(), "dict_values[1000] '0', '1', '2', …"),
        (array.array("d", [1.5] * 1000), "array[1000] 1.5, 1.5, 1.5, …"),
        (range(1_000_000), "ordinary"),
    ],
)
def test_long_ones_show_their_first_elements(say, value, text):
    assert say(value) == text


@pytest.mark.parametrize(
    "value", [range(0, 100_000, 3), array.array("i", range(500)), dict.fromkeys(range(500)).keys()]
)
def test_rows_yield_what_they_show(children, reached, value):
    group = next(iter(children(value).values()))
    while group.name.startswith("[") and "…" in group.name:
        group = list(children(group.value).values())[-1]
    assert reached(group, value) == group.value
