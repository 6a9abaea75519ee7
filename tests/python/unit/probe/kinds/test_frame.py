from __future__ import annotations

import pytest

pandas = pytest.importorskip("pandas")
import numpy as np  # noqa: E402


@pytest.fixture
def frame():
    table = pandas.DataFrame(np.arange(3000.0).reshape(100, 30), columns=list("1234567890" * 3))
    table["name"] = "x"
    table["kind"] = pandas.Categorical(["a", "b"] * 50)
    return table


def test_says_shape_dtypes_and_bytes(say, frame):
    assert say(frame).startswith("100×32 f64 30, str 1, category 1 ")
    assert say(pandas.DataFrame({"a": [1, 2], "b": [3, 4]})) == "2×2 i64 32 B"


def test_missing_values_are_an_alarm(answers, frame):
    frame.iloc[3, 4] = np.nan
    assert answers.first(frame)["alarm"] == "NaN 1"


def test_columns_of_one_name_are_kept_apart(say, children, reached, frame):
    columns = children(children(frame)["columns"].value)
    assert len(columns) == 32
    assert "'1' at 0" in columns
    assert "'1' at 10" in columns
    for row in list(columns.values())[::7]:
        assert reached(row, frame).equals(row.value)
    assert say(columns["'1' at 10"].value).startswith("f64[100] 10…2980 μ1495")
    assert columns["'name'"].evaluate == "['name']"


def test_wide_frames_open_in_groups(children):
    wide = pandas.DataFrame(np.zeros((2, 5000)))
    groups = children(children(wide)["columns"].value)
    assert next(iter(groups)) == "[0…99]"
    assert len(children(groups["[4900…4999]"].value)) == 100


def test_head_shows_cells(children, frame):
    head = children(children(frame)["head"].value)
    assert len(head) == 20
    assert head["[1]"].value.startswith("30  31  32")


def test_series_and_indexes(say, children, reached, frame):
    assert say(frame["kind"]) == "category[100] 'kind'"
    assert say(frame.index) == "RangeIndex[100] i64 [0, 1, 2, …]"
    series = frame["name"]
    row = children(children(series)["values"].value)["[7]"]
    assert reached(row, series) == row.value == "x"


def test_nothing_is_cached_in_the_frame(say, children, frame):
    before = set(vars(frame))
    say(frame)
    children(children(frame)["columns"].value)
    assert set(vars(frame)) == before


def test_an_index_runs_no_repr_of_its_elements(say):
    class Loud:
        def __repr__(self):
            raise AssertionError("the class's code was run")

    assert say(pandas.Index([Loud(), Loud()])) == "Index[2] object [Loud, Loud]"
    assert say(pandas.date_range("2026", periods=5, freq="h")).endswith(
        "[2026-01-01 00:00:00, 2026-01-01 01:00:00, 2026-01-01 02:00:00, …]"
    )
    assert say(pandas.MultiIndex.from_product([[1], ["a"]])) == "MultiIndex[1] object [(1, 'a')]"
