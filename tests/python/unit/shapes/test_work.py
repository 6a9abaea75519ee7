"""Floating-point operations and memory, by expression, function and module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from tensorpeek.probe.shapes.flops import flops_of
from tensorpeek.probe.shapes.work import Work, counted

from .programs import Seen, load, tracing


@pytest.mark.parametrize(
    ("module", "inputs"),
    [
        (nn.Linear(3, 5), (torch.zeros(2, 4, 3),)),
        (nn.Conv2d(4, 6, 3, groups=2, stride=2), (torch.zeros(2, 4, 9, 9),)),
        (nn.ConvTranspose2d(4, 6, 3, stride=2), (torch.zeros(2, 4, 5, 5),)),
        (nn.MultiheadAttention(8, 2, batch_first=True), (torch.zeros(2, 5, 8),) * 3),
        (nn.LSTMCell(3, 4), (torch.zeros(2, 3),)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_sum_is_torchs_own(module: nn.Module, inputs: tuple[Any, ...]) -> None:
    with torch.no_grad():
        with FlopCounterMode(display=False) as peer:
            module(*inputs)
        with counted(lambda path: False) as work:
            module(*inputs)
    assert work.modules[id(module)] == peer.get_total_flops() > 0


@pytest.mark.filterwarnings("ignore:TF32 acceleration:UserWarning")
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers_count_as_what_they_are_made_of(kind: type[nn.Module]) -> None:
    module = kind(3, 4, num_layers=2, bidirectional=True)
    inputs = torch.zeros(5, 2, 3)
    with torch.no_grad():
        with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as peer:
            module(inputs)
        with counted(lambda path: False) as work:
            module(inputs)
    assert work.modules[id(module)] == peer.get_total_flops() > 0


def test_a_fused_recurrent_network_counts_all_its_weights() -> None:
    module = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    weights = [weight.detach() for weight in module.parameters()]
    with torch.no_grad(), counted(lambda path: False) as work:
        module(torch.zeros(5, 2, 3))
    shapes = [(5, 2, 3), None]
    assert flops_of("_cudnn_rnn", shapes, (None, weights), (5, 2, 8)) == work.modules[id(module)]


def test_work_is_shared_among_who_asked_for_it(tmp_path: Path) -> None:
    program = load(
        tmp_path,
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(4, 4)\n"
        "    def forward(self, x):\n        for _ in range(3):\n            x = F.relu(self.a(x))\n"
        "        rows = [self.a(r) for r in x]\n        return x @ x.t()\n",
    )
    net = program.Net()
    with torch.no_grad(), tracing(program) as tracer, counted(lambda path: path == program.__file__) as work:
        tracer.recording.work = work
        net(torch.zeros(2, 4))
    trace = Seen(tracer.recording).trace
    lines = trace["files"][0]["text"].split("\n")
    flops = {
        lines[row["line"] - 1][row["column"] : row["endColumn"]]: row["flops"]
        for row in trace["files"][0]["expressions"]
    }
    assert flops["self.a(x)"] == flops["F.relu(self.a(x))"] == 3 * 2 * 2 * 4 * 4
    assert flops["self.a(r)"] == flops["[self.a(r) for r in x]"] == 2 * 2 * 4 * 4
    assert flops["x @ x.t()"] == 2 * 2 * 2 * 4
    assert trace["files"][0]["functions"][0]["flops"] == work.modules[id(net)] == 3 * 64 + 64 + 32
    assert work.modules[id(net.a)] == 3 * 64 + 64


def test_memory_that_was_given_back_is_not_counted(tmp_path: Path) -> None:
    program = load(
        tmp_path,
        "def f(x):\n    for _ in range(5):\n        y = x + 1\n        del y\n"
        "    a = x * 2\n    return a.view(-1) + 1\n",
    )
    work: Work
    with torch.no_grad(), tracing(program) as tracer, counted(lambda path: path == program.__file__) as work:
        tracer.recording.work = work
        program.f(torch.zeros(100))
    assert Seen(tracer.recording).trace["files"][0]["functions"][0]["peakBytes"] == 2 * 400
