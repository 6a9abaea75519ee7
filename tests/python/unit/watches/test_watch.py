"""A watched variable, asked after each change."""

from __future__ import annotations

import gc
import sys
import weakref
from types import FrameType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.hit_counts import hit_condition
from tensorpeek.probe.watches.names import find_name
from tensorpeek.probe.watches.watch import Watch


def here() -> FrameType:
    return sys._getframe(1)


def watched(container: Any, name: str, frame: FrameType) -> Watch:
    found = find_name(container, name)
    assert found is not None
    watch = Watch(found)
    watch.begin(frame)
    assert watch.change(frame) is None
    return watch


def test_every_way_to_write_a_tensor_is_seen_once() -> None:
    model = torch.nn.Linear(2, 2)
    frame = here()
    watch = watched(model, "weight", frame)
    optimizer = torch.optim.Adam(model.parameters(), foreach=True)
    model(torch.ones(1, 2)).sum().backward()
    assert watch.change(frame) is None, "a gradient is not the weight"
    for write in (
        optimizer.step,
        lambda: torch.nn.init.zeros_(model.weight),
        lambda: model.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(2)}),
        lambda: model.weight.detach().view(-1).add_(1),
    ):
        write()
        change = watch.change(frame)
        assert change is not None
        assert change.text == "weight was written in place"
        assert watch.change(frame) is None
    model.weight = torch.nn.Parameter(torch.zeros(2, 2))
    change = watch.change(frame)
    assert change is not None
    assert (change.text, change.after) == ("weight was given another value", "all 0 f32[2,2] grad param")


@pytest.mark.parametrize("container", [{"x": 1}, {1: 1}, [1, 2]])
def test_items(container: Any) -> None:
    frame = here()
    key = next(iter(container)) if isinstance(container, dict) else 1
    watch = watched(container, str(key), frame)
    container[key] = 5
    change = watch.change(frame)
    assert change is not None
    assert change.after == "5"
    if isinstance(container, dict):
        del container[key]
        change = watch.change(frame)
        assert change is not None
        assert change.text.endswith("was deleted")


@given(st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none()))
def test_an_equal_value_is_no_change(value: Any) -> None:
    container = {"x": value}
    frame = here()
    watch = watched(container, "x", frame)
    container["x"] = type(value)(value) if value is not None else None
    assert watch.change(frame) is None


def test_a_tensor_is_not_kept_alive() -> None:
    holder: dict[str, Any] = {"x": torch.zeros(3)}
    frame = here()
    watch = watched(holder, "x", frame)
    tensor = weakref.ref(holder["x"])
    holder["x"] = None
    gc.collect()
    assert tensor() is None
    assert watch.change(frame) is not None


def test_an_inference_tensor_counts_no_writes_and_is_followed_by_name() -> None:
    with torch.inference_mode():
        holder = {"x": torch.zeros(3)}
    frame = here()
    watch = watched(holder, "x", frame)
    holder["x"] = torch.ones(3)
    assert watch.change(frame) is not None


def test_no_code_of_the_object_runs() -> None:
    class Loud:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError

        @property
        def computed(self) -> int:
            raise AssertionError

    assert find_name(Loud(), "computed") is None
    assert find_name(Loud(), "anything") is None


@given(
    st.integers(1, 10**6), st.sampled_from(["", "==", ">=", "<=", ">", "<", "%", "!="]), st.integers(1, 50)
)
def test_a_hit_count_means_what_dap_says(number: int, sign: str, hits: int) -> None:
    condition = hit_condition(f" {sign} {number} ").replace("@HIT@", str(hits))
    expected = hits % number == 0 if sign == "%" else eval(f"{hits} {sign or '=='} {number}")
    assert eval(condition) == expected


def test_the_next_call_is_followed_also_where_the_end_of_the_last_one_was_not_told() -> None:
    """pydevd traces a function to its end that was paused in; the next call may have the frame's address."""
    watches: list[Watch] = []
    changes: list[str] = []

    def look(frame: FrameType) -> None:
        change = watches[0].change(frame)
        if change is not None:
            changes.append(change.text)

    def function(depth: int = 0) -> None:
        if watches:
            watches[0].entered(here())
            look(here())
        x = 1
        if not watches:
            watches.append(watched(here(), "x", here()))
        look(here())
        if depth:
            function(depth - 1)
            x = 2
            look(here())
        del x

    for _ in range(3):
        function()
    assert changes == [], "each call has a variable of its own"
    function(2)
    assert changes == ["x was given another value"], "only that of the outermost call is followed"
