"""The free trace of a first step: what it sees, and that the program is as it was, however the step ends."""

from __future__ import annotations

import gc
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules import module as torch_modules

from tensorpeek.contract.messages import ShapeTrace
from tensorpeek.probe.run_output import RunOutput
from tensorpeek.probe.shapes import first_step
from tensorpeek.probe.shapes.first_step import FirstStep
from tensorpeek.runs import shapes_file

OWN_COMPILE = torch.compile


def helper(z: Any) -> Any:
    return z * 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x: Any) -> Any:
        y = helper(self.fc(x))
        return y.relu()


class Raising(Net):
    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.error = error

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        z = torch.cat([y, y])
        if len(x) == 2:
            raise self.error("half-way")
        return z


class Recursive(Net):
    def forward(self, x: Any, depth: int = 2) -> Any:
        y = self.fc(x)
        return self(x, depth - 1) if depth else y


class Lazily(Net):
    def forward(self, x: Any) -> Any:
        def scaled(y: Any) -> Any:
            return y * 3

        self.kept = scaled
        for row in x:
            yield scaled(self.fc(row))


class Waiting(Net):
    """In another thread the same model is called while the first call is under way."""

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        if len(x) == 5:
            other = threading.Thread(target=self, args=(torch.zeros(9, 3),))
            other.start()
            other.join()
        return y


Traced = Callable[[], "ShapeTrace | None"]


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Traced]:
    """Waits for a first step; gives what was written of it. Nothing may be left in torch."""
    output = RunOutput()
    output.write_into(str(tmp_path))
    monkeypatch.setattr(first_step, "RUN_OUTPUT", output)
    monkeypatch.setattr(first_step, "SECONDS_AFTER", 0)
    step = FirstStep()
    step.wait()

    def written() -> ShapeTrace | None:
        for thread in threading.enumerate():
            if thread.name == "tensorpeek":
                thread.join()
        return next(iter(shapes_file.newest(tmp_path)), None)

    codes = {kind: kind.forward.__code__ for kind in (Net, Raising, Recursive, Lazily, Waiting)}
    helpers = helper.__code__
    yield written
    step.leave()
    assert {kind: kind.forward.__code__ for kind in codes} == codes
    assert helper.__code__ is helpers
    assert not torch_modules._has_any_global_hook()
    assert not torch_modules._global_module_registration_hooks
    assert torch.compile is OWN_COMPILE


def names_of(trace: ShapeTrace | None) -> dict[str, list[list[str]]]:
    assert trace is not None
    (file,) = trace["files"]
    return {name["name"]: [value["dims"] for value in name["values"]] for name in file["names"]}


def test_a_step_is_seen_with_its_modules(traced: Traced) -> None:
    net = Net()
    net(torch.zeros(2, 3)).sum().backward()
    net(torch.zeros(7, 3))
    trace = traced()
    assert trace is not None
    assert (trace["source"], trace["entry"], trace["problem"]) == ("step", "Net.forward(x)", "")
    assert names_of(trace) == {"x": [["2", "3"]], "y": [["2", "4"]], "z": [["2", "4"]]}
    assert {row["path"]: row["outputs"][0]["dims"] for row in trace["modules"]} == {
        "": ["2", "4"],
        "fc": ["2", "4"],
    }


def test_evaluation_is_no_step(traced: Traced) -> None:
    net = Net()
    with torch.no_grad():
        net(torch.zeros(2, 3))
    net.eval()
    net(torch.zeros(3, 3))
    nn.ReLU()(torch.zeros(4, 3))
    assert traced() is None
    net.train()
    net(torch.zeros(5, 3))
    assert ["5", "4"] in names_of(traced())["y"]


def test_what_was_seen_before_an_error_is_kept(traced: Traced) -> None:
    net, error = Raising(ValueError), None
    try:
        net(torch.zeros(2, 3))
    except ValueError as raised:
        error = raised
    assert Raising.forward.__code__.co_consts[0] is None
    assert error is not None
    users = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    assert [frame.line for frame in users] == ["net(torch.zeros(2, 3))", 'raise self.error("half-way")']
    trace = traced()
    assert trace is not None
    assert trace["problem"] == "ValueError: half-way"
    assert trace["remarks"][0]["lineText"].strip() == 'raise self.error("half-way")'
    assert names_of(trace)["z"] == [["4", "4"]]


def test_an_interrupt_ends_the_trace_too(traced: Traced) -> None:
    net, code = Raising(KeyboardInterrupt), Raising.forward.__code__
    try:
        net(torch.zeros(2, 3))
    except KeyboardInterrupt:
        pass
    assert Raising.forward.__code__ is code
    assert names_of(traced())["z"] == [["4", "4"]]


def test_an_interrupt_whose_traceback_is_kept_ends_it_at_the_next_call(traced: Traced) -> None:
    net, code = Raising(KeyboardInterrupt), Raising.forward.__code__
    with pytest.raises(KeyboardInterrupt) as kept:
        net(torch.zeros(2, 3))
    assert kept.value.__traceback__ is not None
    assert Raising.forward.__code__ is not code
    net(torch.zeros(3, 3))
    assert Raising.forward.__code__ is code
    assert names_of(traced())["z"] == [["4", "4"]]


def test_a_step_within_a_handler_has_no_problem(traced: Traced) -> None:
    try:
        raise ValueError
    except ValueError:
        Net()(torch.zeros(2, 3))
    trace = traced()
    assert trace is not None
    assert trace["problem"] == ""


def test_a_recursion_is_one_step(traced: Traced) -> None:
    Recursive()(torch.zeros(2, 3))
    trace = traced()
    assert trace is not None
    (file,) = trace["files"]
    assert [function["calls"] for function in file["functions"]] == [3]


def test_a_generator_goes_on_unseen(traced: Traced) -> None:
    net = Lazily()
    rows = net(torch.ones(2, 3))
    assert len(list(rows)) == 2
    assert traced() is not None
    assert net.kept(2) == 6


def test_another_thread_is_not_seen(traced: Traced) -> None:
    Waiting()(torch.zeros(5, 3))
    assert names_of(traced()) == {"x": [["5", "3"]], "y": [["5", "4"]]}


def test_what_is_compiled_is_left_alone(traced: Traced) -> None:
    net = Net()
    torch.compile(net, backend="eager")
    assert torch.compile is OWN_COMPILE
    net(torch.zeros(2, 3))
    assert traced() is None


def test_a_script_module_is_left_alone(traced: Traced) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.trace(Net(), torch.zeros(2, 3))
    scripted(torch.zeros(2, 3))
    assert traced() is None


def test_nothing_is_kept_alive(traced: Traced) -> None:
    net, batch = Net(), torch.zeros(2, 3)
    watched = [weakref.ref(each) for each in (net, batch, net(batch))]
    traced()
    del net, batch
    gc.collect()
    assert [reference() for reference in watched] == [None] * 3


def test_the_same_is_not_written_twice(tmp_path: Path, traced: Traced) -> None:
    net = Net()
    net(torch.zeros(2, 3))
    first = traced()
    again = FirstStep()
    again.wait()
    Net()(torch.zeros(2, 3))
    assert traced() == first
    assert len(list(tmp_path.iterdir())) == 1
