from __future__ import annotations

import numpy as np
import pytest


class Tagged(np.ndarray):
    def __array_finalize__(self, source):
        if source is not None and type(source) is Tagged:
            raise AssertionError("the subclass's code was run")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.arange(10), "i64[10] 0…9 μ4.5 80 B"),
        (np.zeros((2, 3)), "all 0 f64[2,3] 48 B"),
        (np.zeros((0, 3)), "f64[0,3] 0 B"),
        (np.array(3.5), "f64 3.5 8 B"),
        (np.array([1, "x", None], dtype=object), "object[3] [1, 'x', None] 24 B"),
        (np.zeros(3, dtype=[("x", "f4"), ("label", "i8")]), "struct[3] (x: f32, label: i64) 36 B"),
        (np.array(["ab", "cde"]), "str[2] ['ab', 'cde'] 24 B"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64[D][1] 8 B"),
        (np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]), "f64[3] 1…3 μ2 σ1 1 masked 24 B"),
        (np.float64(3.5), "f64 3.5"),
        (np.int8(3), "i8 3"),
        (np.bool_(True), "bool True"),
        (np.datetime64("2020-01-01"), "datetime64[D] 2020-01-01"),
    ],
)
def test_says_dtype_shape_range_and_bytes(say, value, text):
    assert say(value) == text


def test_broken_numbers_are_an_alarm(answers):
    assert answers.first(np.array([1.0, np.nan, np.inf]))["alarm"] == "NaN 1 +Inf 1"
    assert answers.first(np.float32("nan")) == {"text": "NaN f32", "kind": "array", "alarm": "NaN"}


def test_memory_mapped_and_read_only_arrays_say_so(say, tmp_path):
    path = tmp_path / "numbers.npy"
    np.save(path, np.arange(10.0))
    assert "memmap read-only" in say(np.load(path, mmap_mode="r"))


def test_a_subclass_runs_no_code(say, children):
    tagged = np.arange(3.0).view(Tagged)
    assert say(tagged).startswith("f64[3]")
    children(tagged)


def test_rows_yield_what_they_show(children, reached):
    array = np.arange(600.0).reshape(200, 3)
    rows = children(array)
    groups = children(rows["values"].value)
    row = children(groups["[100…199]"].value)["[107]"]
    assert np.shares_memory(row.value, array)
    assert np.array_equal(reached(row, array), row.value)
    table = np.zeros(3, dtype=[("x", "f4"), ("label", "i8")])
    assert np.shares_memory(children(table)["x"].value, table)
    assert reached(children(table)["label"], table).dtype == np.int64


def test_stats_say_where_the_offenders_are(children):
    rows = children(children(np.array([[1.0, np.nan]]))["stats"].value)
    assert rows["NaN"].value.startswith("1 (50 %) at [0, 1]")
