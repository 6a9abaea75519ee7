"""The producer is found whatever the user's program looks like: the same fault in many kinds of loops."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from unit.replay.marked_program import run_marked

HEAD = """
import torch
from torch import nn
torch.manual_seed(0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop, self.out = nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1)
    def forward(self, x):
        h = self.drop(self.fc(x))
        return self.out(h)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
batches = [(torch.rand(6, 4), torch.rand(6, 1) + 0.1) for _ in range(4)]
batches[2][1][3] = -1.0  # a logarithm of a negative number, in row 3 of step 2
"""

LOOPS = {
    "script": """
        for x, y in batches:
            opt.zero_grad()
            out = net(x)
            loss = (out - torch.log(y)).pow(2).mean()  # <-
            loss.backward()
            opt.step()
        """,
    "one-statement": """
        for x, y in batches:
            opt.zero_grad()
            (net(x) - torch.log(y)).pow(2).mean().backward()  # <-
            opt.step()
        """,
    "many-lines": """
        for x, y in batches:
            opt.zero_grad()
            loss = (
                net(
                    x
                )
                - torch.log(  # <-
                    y
                )
            ).pow(2).mean()
            loss.backward()
            opt.step()
        """,
    "function": """
        def train(model, data):
            for x, y in data:
                opt.zero_grad()
                out: torch.Tensor = model(x)
                target: "Unimportable" = torch.log(y)  # <-
                loss: torch.Tensor = (out - target).pow(2).mean()
                loss.backward()
                opt.step()
        train(net, batches)
        """,
    "step-function": """
        def train_step(x, y):
            out = net(x)
            loss = (out - torch.log(y)).pow(2).mean()  # <-
            opt.zero_grad()
            loss.backward()
            opt.step()
            return loss.item()
        for x, y in batches:
            train_step(x, y)
        """,
    "loss-function": """
        def compute_loss(model, x, y):
            out = model(x)
            return (out - torch.log(y)).pow(2).mean()  # <-
        for x, y in batches:
            opt.zero_grad()
            loss = compute_loss(net, x, y)
            loss.backward()
            opt.step()
        """,
    "class": """
        class Trainer:
            def __init__(self, model):
                self.model, self.__scale, self.history = model, 2.0, []
            def loss(self, out, y):
                return (out - torch.log(y)).pow(2).mean()  # <-
            def fit(self, data):
                for self.step, (x, y) in enumerate(data):
                    opt.zero_grad()
                    out = self.model(x) * self.__scale
                    loss = self.loss(out, y)
                    self.history.append(loss.item())
                    loss.backward()
                    opt.step()
        Trainer(net).fit(batches)
        """,
    "super": """
        class Base:
            def loss(self, out, y):
                return (out - torch.log(y)).pow(2).mean()  # <-
        class Trainer(Base):
            def loss(self, out, y):
                return None
            def fit(self, data):
                for x, y in data:
                    opt.zero_grad()
                    out = net(x)
                    loss = super().loss(out, y)
                    loss.backward()
                    opt.step()
        Trainer().fit(batches)
        """,
    "closure": """
        def main():
            total = 0.0
            def step(x, y):
                nonlocal total
                opt.zero_grad()
                out = net(x)
                loss = (out - torch.log(y)).pow(2).mean()  # <-
                total += loss.item()
                loss.backward()
                opt.step()
            for x, y in batches:
                step(x, y)
        main()
        """,
    "lbfgs": """
        opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
        for x, y in batches:
            def closure():
                opt.zero_grad()
                loss = (net(x) - torch.log(y)).pow(2).mean()  # <-
                loss.backward()
                return loss
            opt.step(closure)
        """,
    "with-and-try": """
        for x, y in batches:
            try:
                with torch.enable_grad():
                    with torch.autocast("cpu", torch.bfloat16):
                        out = net(x)
                    loss = (out.float() - torch.log(y)).pow(2).mean()  # <-
                    opt.zero_grad()
                loss.backward()
            except RuntimeError:
                raise
            finally:
                count = 1
            opt.step()
        """,
    "while": """
        i = 0
        while i < len(batches):
            x, y = batches[i]
            i += 1
            out = net(x)
            loss = (out - torch.log(y)).pow(2).mean()  # <-
            if torch.is_tensor(loss):
                opt.zero_grad()
                loss.backward()
            else:
                continue
            opt.step()
        """,
    "accumulation": """
        opt.zero_grad()
        for i, (x, y) in enumerate(batches):
            loss = (net(x) - torch.log(y)).pow(2).mean() / 2  # <-
            loss.backward()
            if i % 2:
                opt.step()
                opt.zero_grad()
        """,
    "comprehension": """
        for x, y in batches:
            outs = [net(part) for part in x.split(3)]
            loss = sum((out - torch.log(t)).pow(2).sum() for out, t in zip(outs, y.split(3)))  # <-
            opt.zero_grad()
            loss.backward()
            opt.step()
        """,
    "rebinding": """
        for x, y in batches:
            x = x * 2
            y = y.clone()
            out = net(x)
            out = out * 1
            y = torch.log(y)  # <-
            loss = (out - y).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        """,
    "target-first": """
        def train():
            for x, y in batches:
                scale = 1.0
                target = torch.log(y) * scale  # <-
                out = net(x)
                loss = (out - target).pow(2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
        train()
        """,
    "hidden-state": """
        def train():
            state = torch.zeros(6, 1)
            for x, y in batches:
                state = net(x) + 0.1 * state.detach()
                loss = (state - torch.log(y)).pow(2).mean()  # <-
                opt.zero_grad()
                loss.backward()
                opt.step()
        train()
        """,
    "generator": """
        def training():
            for x, y in batches:
                opt.zero_grad()
                out = net(x)
                loss = (out - torch.log(y)).pow(2).mean()  # <-
                yield loss.item()
                loss.backward()
                opt.step()
        list(training())
        """,
    "utility": """
        def backward(loss, factor):
            scaled = loss * factor
            scaled.backward()
        for x, y in batches:
            opt.zero_grad()
            out = net(x)
            loss = (out - torch.log(y)).pow(2).mean()  # <-
            backward(loss, 1.0)
            opt.step()
        """,
    "batch-dict": """
        for x, y in batches:
            batch = {"x": x, "y": y}
            batch = {name: value.clone() for name, value in batch.items()}
            out = net(batch["x"])
            loss = (out - torch.log(batch["y"])).pow(2).mean()  # <-
            opt.zero_grad()
            loss.backward()
            opt.step()
        """,
    "autograd-grad": """
        for x, y in batches:
            out = net(x)
            loss = (out - torch.log(y)).pow(2).mean()  # <-
            (slope,) = torch.autograd.grad(loss, out, create_graph=True)
            opt.zero_grad()
            (loss + slope.pow(2).mean()).backward()
            opt.step()
        """,
    "lambda": """
        criterion = lambda out, y: (out - torch.log(y)).pow(2).mean()  # <-
        step = lambda x, y: criterion(net(x), y)
        for x, y in batches:
            opt.zero_grad()
            loss = step(x, y)
            loss.backward()
            opt.step()
        """,
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_logarithm_of_a_negative_number_is_found(name: str, tmp_path: Path) -> None:
    recorder, line = run_marked(tmp_path, HEAD + textwrap.dedent(LOOPS[name]))
    found = recorder.producer()
    assert (found.op, found.place and found.place.line, found.phase) == ("log", line, "forward")
    assert found.exact
    assert found.is_nan
    if name != "comprehension":
        assert found.rows == [3]
    assert recorder.record is not None
    assert f"step {recorder.record.number}, its input has min −1" in found.text


def test_the_loss_function_may_be_in_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "losses_elsewhere.py").write_text(
        "import torch\ndef loss_of(out, y):\n    return (out - torch.log(y)).pow(2).mean()\n"
    )
    (tmp_path / "loop_elsewhere.py").write_text(
        "from losses_elsewhere import loss_of\n"
        "def fit(net, opt, batches):\n"
        "    for x, y in batches:\n"
        "        opt.zero_grad()\n"
        "        loss = loss_of(net(x), y)\n"
        "        loss.backward()\n"
        "        opt.step()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    text = HEAD + "from loop_elsewhere import fit\nfit(net, opt, batches)  # <-\n"
    recorder, _ = run_marked(tmp_path, text)
    found = recorder.producer()
    assert found.op == "log"
    assert found.place is not None
    assert (Path(found.place.path).name, found.place.line) == ("losses_elsewhere.py", 3)
