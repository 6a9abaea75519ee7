"""Training with every condition on is the same training, bit for bit."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tensorpeek.catalogue.conditions import CONDITIONS
from tensorpeek.catalogue.settings import parse_settings
from tensorpeek.probe.training.training import Training

EVERYTHING = {info.id: parse_settings(info, "") for info in CONDITIONS}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(4 * 36, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.conv(x)))
        return self.out(self.drop(x.flatten(1)))


def _train(steps: int = 12) -> dict[str, Any]:
    torch.manual_seed(1)
    random.seed(1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    data = TensorDataset(torch.randn(48, 1, 8, 8), torch.randint(0, 3, (48,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    losses: list[float] = []
    versions: list[int] = []
    while len(losses) < steps:
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            versions.append(model.out.weight._version + x._version)
    return {
        "losses": losses,
        "versions": versions,
        "weights": {name: value.clone() for name, value in model.state_dict().items()},
        "gradients": [parameter.grad for parameter in model.parameters()],
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "hooks": [len(module._forward_hooks) for module in model.modules()],
        "attributes": sorted(vars(model)),
    }


def test_training_is_the_same_with_everything_on() -> None:
    bare = _train()
    training = Training()
    training.configure(EVERYTHING, budget_percent=100)
    training.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            watched = _train()
    finally:
        training.stop()
    assert training.problems == []
    assert [finding["message"] for finding in training.findings] == []
    assert training.clock.step == 12
    for name in ("losses", "versions", "python", "hooks", "attributes"):
        assert watched[name] == bare[name], name
    assert torch.equal(watched["torch"], bare["torch"])
    assert all(torch.equal(watched["weights"][name], value) for name, value in bare["weights"].items())
    assert all(
        torch.equal(one, other) for one, other in zip(watched["gradients"], bare["gradients"], strict=True)
    )


def test_the_users_modes_see_nothing_of_ours() -> None:
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    calls: list[str] = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(getattr(func, "__name__", ""))
            return func(*args, **(kwargs or {}))

    class Operations(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    def run() -> list[str]:
        calls.clear()
        with Functions(), Operations():
            _train(4)
        return list(calls)

    bare = run()
    training = Training()
    training.configure(EVERYTHING)
    training.start()
    try:
        watched = run()
    finally:
        training.stop()
    assert watched == bare


@pytest.mark.parametrize("way", ["module", "method", "function"])
def test_what_torch_compiles_is_the_same(way: str) -> None:
    from torch._dynamo.utils import counters

    def run() -> tuple[float, dict[str, int], int]:
        torch._dynamo.reset()
        counters.clear()
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        compiled: Any = model
        if way == "method":
            model.compile(backend="eager")
        else:
            function = model if way == "module" else lambda x: model(x)
            compiled = torch.compile(function, backend="eager")
        for _ in range(4):
            loss = compiled(torch.ones(2, 3)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item(), dict(counters["frames"]), len(counters["graph_break"])

    bare = run()
    training = Training()
    training.configure(EVERYTHING)
    training.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run() == bare
        assert training.clock.step == 4
        assert any("torch.compile" in text for text in training.blind)
    finally:
        training.stop()
        # Modules are not watched any more in a process that has compiled something.
        torch._dynamo.reset()
        counters.clear()


def test_a_forked_copy_is_silent_until_it_trains(seen: Any, tmp_path: Path) -> None:
    seen.watch("batch", "loss")
    model = nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    seen.moments.clear()
    told = tmp_path / "told"
    process = os.fork()
    if not process:
        try:
            model(torch.ones(1, 2))
            before = len(seen.moments)
            model.weight.pow(2).sum().backward()
            told.write_text(f"{before} {len(seen.moments)}")
        finally:
            os._exit(0)
    os.waitpid(process, 0)
    assert told.read_text() == "0 1"


def test_it_begins_when_the_program_imports_torch() -> None:
    program = """
import sys
from tensorpeek.probe.training.training import TRAINING
TRAINING.start()
assert "torch" not in sys.modules
finders = len(sys.meta_path)
import torch
assert len(sys.meta_path) == finders - 1
w = torch.ones(2, requires_grad=True)
loss = w.sum()
loss.backward()
print(list(TRAINING.losses), TRAINING.clock.backwards, TRAINING.problems)
"""
    root = Path(__file__).parents[4] / "python_backend"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert answer.stdout == "['loss'] 1 []\n"
