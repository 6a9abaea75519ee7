"""Each way to get a value that is not finite, with the op, the phase and the words that are said of it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from unit.replay.marked_program import run_marked

from harness.step_recorder import Recorder

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.out = nn.Linear(4, 8), nn.Linear(8, 3)
        {init}
    def forward(self, x):
        h = self.fc(x)
        zero = h * 0
        {forward}
        return self.out(h)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(3):
    x, y = torch.rand(6, 4), torch.randint(0, 3, (6,))
    z = net(x)
    {loss}
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
PLAIN = "loss = F.cross_entropy(z, y)"


@dataclass
class Fault:
    op: str
    forward: str = ""
    loss: str = PLAIN
    init: str = ""
    phase: str = "forward"
    hidden_by: str = ""
    module: str = ""
    says: str = ""
    """In the text."""
    advises: str = ""


FAULTS = {
    "0/0": Fault("div", "h = zero / zero  # <-", says="0 is divided by 0", advises="eps"),
    "1/0": Fault("reciprocal", "h = 1 / zero  # <-", says="it divides by 0"),
    "reciprocal": Fault("reciprocal", "h = zero.reciprocal()  # <-", says="divides by 0"),
    "exp": Fault(
        "exp", "h = (h.abs() * 1000 + 100).exp()  # <-", says="overflows above 88.7", advises="logsumexp"
    ),
    "log1p": Fault("log1p", "h = (zero - 2).log1p()  # <-", says="min −2"),
    "log of 0": Fault("log", "h = zero.log()  # <-", says="min 0"),
    "log of sigmoid": Fault("log", "h = torch.sigmoid(zero - 200).log()  # <-", advises="logsigmoid"),
    "acos": Fault("acos", "h = torch.acos(zero + 1.5)  # <-", says="beyond −1 … 1"),
    "asin": Fault("asin", "h = torch.asin(zero + 1.5)  # <-"),
    "atanh": Fault("atanh", "h = torch.atanh(zero + 1.5)  # <-"),
    "pow": Fault("pow", "h = (zero - 1) ** 0.5  # <-", says="min −1"),
    "pow of 0": Fault("pow", "h = zero ** -1.5  # <-", says="the exponent is −1.5"),
    "sqrt": Fault("sqrt", "h = torch.sqrt(zero - 1)  # <-", says="min −1"),
    "rsqrt": Fault("rsqrt", "h = torch.rsqrt(zero)  # <-"),
    "in place": Fault("sqrt", "h = (h * 0 - 1)\n        h.sqrt_()  # <-", says="min −1"),
    "mean of nothing": Fault("mean", loss="loss = z[y == 7].mean()  # <-", says="no element"),
    "std of one": Fault("std", loss="loss = z[:1].std(0).sum()  # <-", says="single element"),
    "var of one": Fault("var", loss="loss = z[:1].var(0).sum()  # <-", says="single element"),
    "all ignored": Fault(
        "nll_loss", loss="loss = F.cross_entropy(z, y * 0 - 100)  # <-", says="ignore_index"
    ),
    "div by std": Fault("div", loss="loss = ((z * 0 + 1) / (z * 0).std()).sum()  # <-", says="divide"),
    "float16": Fault("pow", "h = ((h + 300).half() ** 2).float()  # <-", says="65504", advises="float32"),
    "to float16": Fault("to", "h = (h * 1e6 + 1e6).half()  # <-\n        h = h.float()", says="65504"),
    "bfloat16": Fault("mul", "h = ((h + 2).bfloat16() * 1e38 * 10).float()  # <-", says="bfloat16"),
    "float32": Fault("mul", "h = (h.abs() + 2) * 1e38 * 100  # <-", says="the largest float32"),
    "matmul": Fault("matmul", "h = ((h.abs() + 1) * 1e30 @ (torch.ones(8, 8) * 1e30))  # <-", says="float32"),
    "masked row": Fault(
        "softmax",
        "h = h.masked_fill(torch.arange(6)[:, None] == 2, -torch.inf).softmax(1)  # <-",
        says="all of its inputs are −inf in row 2",
        advises="padding",
    ),
    "masked by where": Fault(
        "softmax",
        "h = torch.where(torch.arange(6)[:, None] == 2, torch.tensor(float('-inf')), h).softmax(1)  # <-",
        says="row 2",
    ),
    "masked by a buffer": Fault(
        "softmax",
        "h = (h + self.mask).softmax(1)  # <-",
        init="self.register_buffer('mask', torch.full((8,), -torch.inf))",
        says="−inf",
    ),
    "masked by log": Fault(
        "softmax", "h = (h + (torch.arange(6)[:, None] != 2).float().log()).softmax(1)  # <-", says="row 2"
    ),
    "inf − inf": Fault("sub", "m = zero.masked_fill(h > -9, torch.inf)\n        h = m - m  # <-"),
    "0 · inf": Fault("mul", "h = zero * zero.masked_fill(h > -9, -torch.inf)  # <-"),
    "mask into the loss": Fault(
        "masked_fill",
        loss="loss = -z.masked_fill(z > -99, -torch.inf).mean()  # <-",
        says="that it puts in reaches the loss",
    ),
    "attention of the library": Fault(
        "softmax",
        "h = self.att(*[h[:, None]] * 3, key_padding_mask=torch.arange(6)[:, None] == 2)[0][:, 0]  # <-",
        init="self.att = nn.MultiheadAttention(8, 1, batch_first=True)",
        module="att",
    ),
    "layer of the library": Fault(
        "linear",
        "h = self.big(h.abs() + 1)  # <-",
        init="self.big = nn.Linear(8, 8); nn.init.constant_(self.big.weight, 3e38)",
        module="big",
    ),
    "sqrt at 0": Fault(
        "sqrt",
        "h = zero.pow(2).sum(1, keepdim=True).sqrt() + h  # <-",
        phase="backward",
        says="infinite",
        advises="sqrt(x + 1e-12)",
    ),
    "pow at 0": Fault("pow", "h = (zero ** 0.5) + h  # <-", phase="backward", says="infinite"),
    "acos at 1": Fault("acos", "h = torch.acos(zero + 1) + h  # <-", phase="backward", says="±1"),
    "where": Fault(
        "sqrt",
        "h = torch.where(h > 0, torch.sqrt(h), h)  # <-",
        phase="forward",
        hidden_by="where",
        says="hidden by `where` until backward",
        advises="inside the branch",
    ),
    "where of log": Fault("log", "h = torch.where(h > 9, zero.log(), h)  # <-", hidden_by="where"),
    "exp of log of 0": Fault("log", "h = 1 - (zero.log()).exp()  # <-", hidden_by="exp"),
    "nan_to_num": Fault("div", "h = (h / zero).nan_to_num(0, 0, 0) + h  # <-", hidden_by="nan_to_num"),
    "own function": Fault(
        "log",
        "h = Own.apply(h)",
        init="""
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g + torch.log(g * 0 - 1)  # <-
""",
        phase="backward",
    ),
    "only logged": Fault(
        "log", "self.seen = (zero / zero).mean().item()\n        h = (zero - 1).log()  # <-"
    ),
    "no gradient": Fault(
        "sqrt",
        "with torch.no_grad():\n            norm = (zero / zero).mean()\n        h = (zero - 1).sqrt()  # <-",
    ),
    "checkpoint": Fault(
        "log",
        "h = torch.utils.checkpoint.checkpoint(lambda t: (t * 0 - 1).log(), h, use_reentrant=False)  # <-",
        init="import torch.utils.checkpoint",
    ),
}


def run(folder: Path, fault: Fault) -> tuple[Recorder, int]:
    init, before = fault.init, ""
    if init.startswith("\nclass"):
        init, before = "", init
    text = PROGRAM.format(init=init, forward=fault.forward, loss=fault.loss)
    text = text.replace("\nclass Net", before + "\nclass Net")
    return run_marked(folder, textwrap.dedent(text))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    recorder, line = run(tmp_path, fault)
    found = recorder.producer()
    place = found.place and found.place.line
    assert (found.op, place, found.phase, found.hidden_by) == (fault.op, line, fault.phase, fault.hidden_by)
    assert found.module == fault.module
    assert found.exact
    assert found.inputs
    assert fault.says in found.text
    assert fault.advises in " ".join(found.next)
