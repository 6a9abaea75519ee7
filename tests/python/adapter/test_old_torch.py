"""A torch that is too old: debugged as by debugpy, and told why."""

from __future__ import annotations

from pathlib import Path

from harness import DebugSession
from tensorpeek.adapter.texts import Texts

TORCH = """
__version__ = "2.1.2+cu118"


class Tensor:
    def __init__(self):
        self.shape = (3,)

    def __repr__(self):
        return "tensor([1., 2., 3.])"
"""
PROGRAM = """
import torch

tensor = torch.Tensor()
numbers = [1, 2, 3]
print(tensor)  # @bp:here
"""


def test_an_old_torch_is_left_to_debugpy(session: DebugSession, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(TORCH)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    session.launch(program, stops=["here"])
    session.wait_for_stop()
    shown = session.locals()
    assert shown["tensor"]["value"] == "tensor([1., 2., 3.])"
    assert shown["numbers"]["value"] == "[1, 2, 3]"
    assert session.expand(shown["tensor"])["shape"]["value"] == "(3,)"
    while (mode := session.client.next_event("tensorpeek/mode"))["mode"] != "plain":
        pass
    assert mode["reason"] == Texts()("plain_old_torch", torch="2.1.2+cu118")
