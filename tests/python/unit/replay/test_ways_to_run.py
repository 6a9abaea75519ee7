"""Which way a step is run again where the statements of the loop are not the user's, or not there."""

from __future__ import annotations

import os
import runpy
import textwrap
from pathlib import Path

import pytest
import torch
from unit.replay.marked_program import run_marked

from harness.step_recorder import Found, recorded
from tensorpeek.probe.replay.producer import FINITE_MODEL, find_producer, locate
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.step_record import StepRecord

LIBRARY = """
def fit(module, batches, opt):
    for i, batch in enumerate(batches):
        result = module.training_step(batch, i)
        loss = result["loss"] if isinstance(result, dict) else result
        opt.zero_grad()
        loss.backward()
        opt.step()

def train(model, batches, opt):
    for x, y in batches:
        out = model(x, labels=y)
        opt.zero_grad()
        out["loss"].backward()
        opt.step()
"""
HEAD = """
import torch
from torch import nn
import a_library
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
batches = [(torch.rand(6, 4), torch.rand(6, 1) + 0.1) for _ in range(4)]
batches[2][1][3] = -1.0
"""
USERS_STEP = """
class Module:
    def __init__(self):
        self.net = net
    def training_step(self, batch, index, *rest, extra=1, **more):
        x, y = batch
        out = self.net(x)
        loss = (out - torch.log(y)).pow(2).mean()  # <-
        return {"loss": loss, "index": index}
a_library.fit(Module(), batches, opt)
"""
LOSS_IN_MODEL = """
class WithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net
    def forward(self, x, labels):
        out = self.net(x)
        return {"loss": (out - torch.log(labels)).pow(2).mean(), "out": out}  # <-
a_library.train(WithLoss(), batches, opt)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "a_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("text", [USERS_STEP, LOSS_IN_MODEL], ids=["step", "model"])
def test_a_library_may_own_the_loop(text: str, tmp_path: Path) -> None:
    recorder, line = run_marked(tmp_path, HEAD + text)
    found = recorder.producer()
    assert (found.op, found.place and found.place.line, found.rows) == ("log", line, [3])
    assert found.exact


@pytest.mark.usefixtures("library")
def test_a_gradient_in_a_librarys_loop(tmp_path: Path) -> None:
    text = USERS_STEP.replace("(out - torch.log(y))", "(out - torch.where(y > 0, torch.log(out), y))")
    recorder, line = run_marked(tmp_path, HEAD + text)
    found = recorder.producer()
    assert recorder.phase == "backward" or not found.hidden_by
    assert (found.op, found.place and found.place.line) == ("log", line)


def test_weights_that_are_already_bad_are_said_to_be(tmp_path: Path) -> None:
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        with torch.no_grad():
            net.weight[0, 2] = float("nan")
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.rand(3, 4)).sum().backward()  # <-
        """
    recorder, _ = run_marked(tmp_path, textwrap.dedent(text))
    unknown = recorder.unknown()
    assert "`weight` of the model was not finite before this step" in unknown.reason
    assert unknown.known[0].startswith("weight: f32[1, 4]  ")


def test_a_bad_batch_is_named_with_its_element_and_row_of_the_data(tmp_path: Path) -> None:
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        data = [torch.rand(3, 4) for _ in range(3)]
        data[1][2, 1] = float("nan")
        for x in data:
            x = x.to("cpu").float() * 2
            loss = net(x).sum()  # <-
            loss.backward()
            opt.step()
        """
    rows = [10, 20, 30]
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    with recorded() as recorder:
        recorder.rows = rows
        with pytest.raises(Found):
            runpy.run_path(str(path), run_name="__main__")
    found = recorder.producer()
    assert (found.op, found.rows, found.place and found.place.line) == ("input", [2], 9)
    assert "`x[2, 1]` is NaN (row 30 of the data set)" in found.text
    assert "the model is not the cause" in found.text


def test_where_nothing_is_bad_the_second_time_that_is_said(tmp_path: Path) -> None:
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        calls = [1.0, float("nan")]
        x = torch.rand(3, 4)
        loss = net(x).sum() * calls.pop()  # <-
        loss.backward()
        """
    recorder, _ = run_marked(tmp_path, textwrap.dedent(text))
    assert recorder.unknown().reason.startswith("the step, run once more, gave another loss")


def test_a_step_that_hangs_or_dies_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        import os, time, torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        us = os.getpid()
        out = net(torch.rand(3, 4))
        if os.getpid() != us:
            {what}
        (out * float("nan")).sum().backward()  # <-
        """
    cases = (("time.sleep(60)", "took longer than", 1.0), ("os.abort()", "ended by signal 6", 20.0))
    for what, reason, longest in cases:
        monkeypatch.setattr("tensorpeek.probe.replay.producer.LONGEST", longest)
        folder = tmp_path / str(longest)
        folder.mkdir()
        recorder, _ = run_marked(folder, textwrap.dedent(text.format(what=what)))
        assert reason in recorder.unknown().reason
        if longest > 1:
            assert recorder.unknown().known == [FINITE_MODEL]


def test_a_node_of_the_graph_is_located(tmp_path: Path) -> None:
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for step in range(2):
            out = net(torch.rand(3, 4))
            wide = out * float("nan")  # <-
            loss = wide.sum()
            loss.backward()
        """
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))

    def ask(record: StepRecord, phase: str) -> Place | None:
        located = locate(record, [0])
        return located.place if located is not None else None

    with recorded(ask) as recorder, pytest.raises(Found):
        runpy.run_path(str(path), run_name="__main__")
    assert recorder.answer is not None
    assert (recorder.answer.path, recorder.answer.line) == (str(path), 7)


@pytest.mark.parametrize(
    ("forward", "op", "phase"),
    [("(self.out(h) - 9).log()", "log", "forward"), ("self.out((h * 0).abs().sqrt())", "sqrt", "backward")],
)
def test_without_a_copy_the_model_is_run_in_place(
    forward: str, op: str, phase: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    text = f"""
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.norm, self.out = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)
            def forward(self, x):
                h = torch.nn.functional.dropout(self.norm(self.fc(x)), 0.5)
                return {forward}  # <-
        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.rand(3, 4)).sum().backward()
        opt.step()
        """
    seen: list[str] = []

    def ask(record: StepRecord, phase: str) -> object:
        def everything() -> str:
            weights = {
                name: (value.tolist(), value._version) for name, value in record.module.state_dict().items()
            }
            gradients = [parameter.grad for parameter in record.module.parameters()]
            return repr((weights, gradients, torch.get_rng_state().tolist(), torch.is_grad_enabled()))

        before = everything()
        answer = find_producer(record, phase)
        seen.extend([before, everything()])
        return answer

    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    with recorded(ask) as recorder, pytest.raises(Found):
        runpy.run_path(str(path), run_name="__main__")
    found = recorder.producer()
    assert (found.op, found.phase, found.place and found.place.line) == (op, phase, 10)
    assert not found.exact
    assert seen[0] == seen[1]


def test_without_a_copy_what_comes_after_the_model_is_not_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        (net(torch.rand(3, 4)).sum() * float("nan")).backward()  # <-
        """
    recorder, _ = run_marked(tmp_path, textwrap.dedent(text))
    assert "CUDA" in recorder.unknown().reason
    assert recorder.unknown().known == [FINITE_MODEL]


def test_where_backward_fails_in_the_copy_a_hidden_value_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = """
        import torch
        net = torch.nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        out = net(torch.rand(3, 4))
        loss = torch.where(out > 9, (out * 0).log(), out).mean()  # <-
        loss.backward()
        opt.step()
        """
    us = os.getpid()

    def fail(*args: object, **kwargs: object) -> None:
        if os.getpid() != us:
            raise RuntimeError("Unable to handle autograd's threading in combination with fork")
        real(*args, **kwargs)

    real = torch.autograd.backward
    monkeypatch.setattr(torch.autograd, "backward", fail)
    recorder, line = run_marked(tmp_path, textwrap.dedent(text))
    found = recorder.producer()
    assert (found.op, found.hidden_by, found.place and found.place.line) == ("log", "where", line)
