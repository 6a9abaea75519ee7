"""What is traced from a paused frame, and that the program is the same afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import torch
from torch import nn

from tensorpeek.probe.shapes import frame_trace
from tensorpeek.probe.shapes.frame_call import NoCall, target_of
from tensorpeek.probe.shapes.frame_trace import NoTrace, trace_frame
from tensorpeek.probe.shapes.time_limit import TooLong, limited

DURING: list[Callable[[FrameType], Any]] = []
"""What is done where the program is taken to be paused, with the frame; once."""
RUNS: list[bool] = []
"""For each call of a model here, whether it had data."""


def pause() -> Any:
    return DURING.pop()(sys._getframe(1)) if DURING else None


def paused(during: Callable[[FrameType], Any], function: Any, *arguments: Any) -> Any:
    """What `during` gives for the frame in which the function pauses."""
    results: list[Any] = []
    DURING[:] = [lambda frame: results.append(during(frame))]
    function(*arguments)
    return results[0]


def traced(frame: FrameType) -> Any:
    return trace_frame(frame, "")


def target(frame: FrameType) -> Any:
    return target_of(frame, "")


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Linear(4, 2)

    def forward(self, x: Any, scale: float = 1.0) -> Any:
        self.calls += 1
        RUNS.append(type(x) is torch.Tensor)
        rows = x.shape[0]
        y = self.fc(self.norm(x)).reshape(rows, -1) * scale
        pause()
        return y


class NeedsData(Net):
    def forward(self, x: Any, scale: float = 1.0) -> Any:
        RUNS.append(type(x) is torch.Tensor)
        return self.fc(x) * x.sum().item() if x.sum() > 0 else x


class Endless(Net):
    def forward(self, x: Any, scale: float = 1.0) -> Any:
        while True:
            try:
                self.calls += 1
            except Exception:  # noqa: BLE001, PERF203  which the limit must get through
                pass


def before_a_call(net: nn.Module, is_called: bool = False) -> Any:
    batch = {"x": torch.randn(5, 4), "scales": [2.0]}
    criterion = nn.MSELoss()
    pause()
    return is_called and (
        criterion(torch.zeros(2), torch.zeros(2)),
        net(batch["x"], scale=batch["scales"][0]),
    )


def behind_a_call(net: nn.Module) -> None:
    for rows in (2, 3):
        x = torch.randn(rows, 4)
        if rows == 3:
            net(*[x], scale=1.0)
        pause()


@pytest.fixture(params=["copy", "in place"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "in place":
        monkeypatch.setattr(
            frame_trace, "obstacle", lambda module: "a process that uses CUDA cannot be copied"
        )
    return request.param


def test_the_next_call_of_a_model_is_found() -> None:
    net = Net()
    found = paused(target, before_a_call, net)
    assert found.model is net
    assert [tuple(each.shape) for each in found.args] == [(5, 4)]
    assert found.kwargs == {"scale": 2.0}


def test_behind_the_last_call_of_a_loop_comes_its_first() -> None:
    found = paused(target, behind_a_call, Net())
    assert tuple(found.args[0].shape) == (2, 4)
    assert found.kwargs == {"scale": 1.0}


def test_within_a_model_the_call_of_the_whole_model_is_found() -> None:
    outer, x = nn.Sequential(nn.Identity(), Net()), torch.zeros(7, 4)
    found = paused(target, outer, x)
    assert found.model is outer
    assert found.args[0] is x


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("net(batch['x'].float())", "are calls themselves"),
        ("net(y := batch['x'])", "are calls themselves"),
        ("make()(batch['x'])", "is no model"),
        ("criterion(batch['x'])", "is no model"),
        ("net(batch['y'])", "KeyError"),
        ("net(nothing)", "'nothing' is not defined"),
        ("batch['x']", "is no call"),
        ("net(", "is no expression"),
    ],
)
def test_what_cannot_be_traced_is_said(expression: str, why: str) -> None:
    with pytest.raises(NoCall, match=why):
        paused(lambda frame: target_of(frame, expression), before_a_call, Net())


def test_the_program_is_the_same_afterwards(way: str) -> None:
    net = Net()
    random, code = torch.get_rng_state(), Net.forward.__code__
    state = {name: value.clone() for name, value in net.state_dict().items()}
    RUNS.clear()

    trace = paused(lambda frame: (random.copy_(torch.get_rng_state()), traced(frame))[1], before_a_call, net)

    assert (trace["source"], trace["entry"], trace["problem"]) == ("frame", "Net.forward(x, scale)", "")
    assert trace["symbols"][0]["name"] == "rows"
    assert torch.equal(random, torch.get_rng_state())
    assert Net.forward.__code__ is code
    assert all(torch.equal(value, net.state_dict()[name]) for name, value in state.items())
    assert net.calls == 0
    assert torch.is_grad_enabled()
    assert [False] * (way == "in place") == RUNS


def test_the_modes_of_the_paused_thread_hold(way: str) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        trace = paused(traced, before_a_call, Net())
    (file,) = trace["files"]
    dtypes = {name["name"]: name["values"][0]["dtype"] for name in file["names"]}
    assert (dtypes["x"], dtypes["y"]) == ("float32", "bfloat16")


def test_what_needs_data_has_it_in_a_copy_only(way: str) -> None:
    RUNS.clear()
    trace = paused(traced, before_a_call, NeedsData())
    assert not any(RUNS)
    assert trace["source"] == ("pair" if way == "copy" else "frame")
    assert "DataDependent" in trace["problem"]
    assert trace["files"][0]["expressions"]


def test_a_trace_that_does_not_end_is_ended(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = Endless.forward.__code__
    # Loading what torch needs for symbols is part of it.
    monkeypatch.setattr(frame_trace, "SECONDS", 2)
    try:
        problem = paused(traced, before_a_call, Endless())["problem"]
    except NoTrace as why:
        problem = str(why)
    assert "took longer than" in problem
    assert Endless.forward.__code__ is code


def test_a_limit_leaves_nothing_behind() -> None:
    with pytest.raises(TooLong), limited(0.01):
        Endless()(None)
    with limited(100):
        pass
    assert sum(range(1000)) == 499500
