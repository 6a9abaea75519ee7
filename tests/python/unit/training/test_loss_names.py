"""What a loss is called, from the text of the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

BEFORE = """
import torch
from torch import nn
class Fabric:
    def backward(self, loss): loss.backward()
    def manual_backward(self, loss): loss.backward()
class Out: pass
fabric = self = Fabric()
scaler = torch.amp.GradScaler("cpu")
def criterion(a, b): return (a - b).pow(2).mean()
w = torch.ones(3, requires_grad=True)
loss = w.sum(); g_loss = (w * 2).sum(); d_loss = (w * 3).sum()
out = Out(); out.loss = (w * 4).sum()
losses = {"a": (w * 5).sum()}
y = torch.zeros(3)
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("loss.backward()", ["loss"]),
        ("(loss / 4).backward()", ["loss"]),
        ("(0.5 * g_loss).backward(retain_graph=True)", ["g_loss"]),
        ("loss.mean().backward()", ["loss"]),
        ("out.loss.backward()", ["out.loss"]),
        ("losses['a'].backward()", ["losses['a']"]),
        ("(g_loss + d_loss).backward()", ["g_loss + d_loss"]),
        ("torch.autograd.backward([g_loss, d_loss])", ["g_loss", "d_loss"]),
        ("torch.autograd.backward(loss)", ["loss"]),
        ("scaler.scale(g_loss).backward()", ["g_loss"]),
        ("criterion(w, y).backward()", ["criterion(w, y)"]),
        ("fabric.backward(loss)", ["loss"]),
        ("self.manual_backward(d_loss)", ["d_loss"]),
        ("g_loss.backward(); d_loss.backward()", ["g_loss", "d_loss"]),
        ("g_loss.backward(\n    retain_graph=False,\n)", ["g_loss"]),
        ("(w.sum() + w.pow(2).sum() + w.pow(3).sum() + w.abs().max()).backward()", ["loss"]),
        ("[each.backward() for each in (g_loss, d_loss)]", ["each", "each"]),
    ],
)
def test_a_loss_is_called_as_the_user_wrote_it(
    seen: Any, tmp_path: Path, line: str, names: list[str]
) -> None:
    seen.watch("loss")
    script = tmp_path / "train.py"
    script.write_text(BEFORE + line + "\n")
    exec(compile(script.read_text(), str(script), "exec"), {})
    # A wrapper of the user's own has a line too, which is nearer.
    expected = ["loss"] if line.startswith(("fabric", "self")) else names
    assert [loss.name for loss in seen.of("loss")] == expected


def test_a_loss_that_no_user_line_names_is_the_loss(seen: Any) -> None:
    seen.watch("loss")
    code = compile("def run(x):\n    x.sum().backward()\n", "<generated>", "exec")
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    namespace["run"](torch.ones(2, requires_grad=True))
    assert [loss.name for loss in seen.of("loss")] == ["loss"]
