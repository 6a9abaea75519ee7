"""Features of torch that run functions in ways of their own: they work as ever, and what can be seen is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import entry_of
from tensorpeek.probe.shapes.explicit import traced as best_trace
from tensorpeek.probe.shapes.recorder import MOST_LOOKS, THEN_EVERY

from .programs import Seen, load, traced, tracing

X = torch.arange(6.0).reshape(2, 3)
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
NET = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"


@pytest.fixture
def compiler() -> Iterator[None]:
    yield
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def same(module: Any, call: Callable[[], Any]) -> Seen:
    """Untraced it gives the same as traced."""
    plain = call()
    with tracing(module) as tracer:
        result = call()
    assert _flat(result) == _flat(plain)
    assert not any(recorder.is_faulty for recorder in tracer.recording.files.values())
    return Seen(tracer.recording)


def _flat(value: Any) -> Any:
    leaves = torch.utils._pytree.tree_leaves(value)
    return [leaf.tolist() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_compiled_function_runs_as_it_is_written(fullgraph: bool, tmp_path: Path) -> None:
    module = load(tmp_path, "def g(x):\n    return x.t()\ndef f(x):\n    y = x + 1\n    return g(y)\n")
    compiled = torch.compile(module.f, backend="eager", fullgraph=fullgraph)
    seen = same(module, lambda: compiled(X))
    assert seen.expressions["x + 1"] == ["2 3"]
    assert seen.expressions["x.t()"] == ["3 2"]
    assert torch._dynamo.eval_frame._stance.stance == "default"


def test_scripted_traced_and_exported_code(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        NET + "    def forward(self, x):\n        y = x.t() + 1\n        return y\n"
        "def g(x):\n    y = x.t()\n    return y\n"
        "def f(x):\n    a = torch.jit.script(g)(x)\n    b = torch.jit.trace(g, (x,))(x)\n"
        "    c = torch.fx.symbolic_trace(Net())(x)\n"
        "    d = torch.export.export(Net(), (x,)).module()(x)\n    return a, b, c, d\n",
    )
    seen = same(module, lambda: module.f(X))
    assert {name: seen.names[name] for name in "abcd"} == {name: ["3 2"] for name in "abcd"}


def test_transforms_of_functions(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "from torch.func import vmap, grad, jacrev, jvp\n"
        "def loss(w, x):\n    error = w * x\n    return error.sum()\n"
        "def f(x):\n    w = torch.ones(3)\n    a = vmap(grad(loss), (None, 0))(w, x)\n"
        "    b = jacrev(loss)(w, x[0])\n    c = jvp(loss, (w, x[0]), (w, w))\n    return a, b, c\n",
    )
    seen = same(module, lambda: module.f(X))
    assert seen.expressions["w * x"] == ["3"], "what a function of one sample sees"
    assert (seen.names["a"], seen.names["b"], seen.names["c"]) == (["2 3"], ["3"], ["[0: , 1: ]"])


def test_checkpoints_and_functions_with_a_backward_of_their_own(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "from torch.utils.checkpoint import checkpoint\n"
        "class Fn(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        y = x.t()\n        return y * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        h = g.t()\n        return h * 2\n"
        "def again(z):\n    return z * z\n"
        "def f(x):\n    w = x.clone().requires_grad_()\n"
        "    out = checkpoint(again, Fn.apply(w), use_reentrant=False).sum()\n"
        "    out.backward()\n    return w.grad\n",
    )
    seen = same(module, lambda: module.f(X))
    assert (seen.names["y"], seen.names["g"], seen.names["h"]) == (["3 2"], ["3 2"], ["2 3"])
    assert seen.functions["again"] == 2, "once forward, once again for the gradient"
    assert seen.expressions["w.grad"] == ["2 3"]


def test_modes_of_torch(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    with torch.autocast('cpu', torch.bfloat16):\n        a = x @ x.t()\n"
        "    with torch.inference_mode():\n        b = a + 1\n"
        "    with torch.device('meta'):\n        c = torch.empty(4, 5)\n"
        "    d = x.to('meta') @ torch.empty(3, 7, device='meta')\n"
        "    return a, b, c.shape, d.shape\n",
    )
    seen = same(module, lambda: module.f(X))
    assert [seen.names[name] for name in "abcd"] == [["2 2"], ["2 2"], ["4 5"], ["2 7"]]
    dtypes = {name["name"]: name["values"][0]["dtype"] for name in seen.trace["files"][0]["names"]}
    assert (dtypes["a"], dtypes["b"]) == ("bfloat16", "bfloat16")


def test_hooks_containers_of_modules_and_attributes_that_are_made_up(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        NET + "        self.rows = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])\n"
        "        self.named = nn.ModuleDict({'a': nn.ReLU()})\n"
        "        self.all = nn.Sequential(nn.Linear(3, 4), nn.Tanh())\n"
        "    def __getattr__(self, name):\n"
        "        return super().__getattr__('all') if name == 'stack' else super().__getattr__(name)\n"
        "    @property\n    def weight(self):\n        return self.rows[0].weight.t()\n"
        "    def forward(self, x):\n"
        "        for row in self.rows:\n            x = row(x)\n"
        "        for name, part in self.named.items():\n            x = part(x)\n"
        "        x = x @ self.weight\n"
        "        for part in self.stack:\n            x = part(x)\n"
        "        return x\n"
        "def hook(module, args, output):\n    seen = output.t()\n    return output * 1\n",
    )
    net = module.Net()
    net.rows[0].register_forward_hook(module.hook)
    with torch.no_grad():
        seen = same(module, lambda: net(X))
    assert seen.expressions["part(x)"] == ["2 3", "2 4"]
    assert seen.expressions["self.rows[0].weight.t()"] == ["3 3"]
    assert seen.names["seen"] == ["3 2"]


def test_outputs_of_transformers_and_named_tuples(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "from transformers.modeling_outputs import BaseModelOutput\n"
        "def f(x):\n    out = BaseModelOutput(last_hidden_state=x, hidden_states=(x, x.t()))\n"
        "    top = x.max(1)\n    return out.last_hidden_state, out[0], out['hidden_states'], top.values\n",
    )
    seen = same(module, lambda: module.f(X))
    assert seen.names["out"] == ["[last_hidden_state: 2 3, hidden_states: [0: 2 3, 1: 3 2]]"]
    assert seen.expressions["out.last_hidden_state"] == seen.expressions["out[0]"] == ["2 3"]
    assert seen.expressions["top.values"] == ["2"]


def test_shapes_that_depend_on_data_stay_numbers_or_get_a_name(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        NET + "        self.w = nn.Parameter(torch.ones(3))\n"
        "    def forward(self, x):\n        kept = x[x.sum(1) > 1]\n        rows = kept.nonzero()\n"
        "        return rows\n",
    )
    trace = best_trace(Target(entry_of(module.Net()), module.Net(), None, (X,), {}))
    (file,) = trace["files"]
    kept = next(name for name in file["names"] if name["name"] == "kept")
    (value,) = kept["values"]
    assert trace["source"] == "fake"
    assert value["sizes"] == [-1, 3]
    assert value["dims"][0] in {symbol["name"] for symbol in trace["symbols"]}


def test_a_branch_that_the_data_decide_needs_data(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        NET + "        self.w = nn.Parameter(torch.ones(3))\n"
        "    def forward(self, x):\n        if x.sum() > 1:\n            x = x.t()\n        return x\n",
    )
    trace = best_trace(Target(entry_of(module.Net()), module.Net(), None, (X,), {}))
    assert trace["source"] in ("real", "pair")
    assert GuardOnDataDependentSymNode.__name__ in trace["problem"] or "data" in trace["problem"]
    assert any(value["sizes"] == [3, 2] for name in trace["files"][0]["names"] for value in name["values"])


def test_a_function_that_gets_deeper_than_python_allows_raises_as_ever(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x, n):\n    y = x + 1\n    return f(y, n + 1)\n")
    with tracing(module) as tracer, pytest.raises(RecursionError):
        module.f(X, 0)
    assert Seen(tracer.recording).names["y"] == ["2 3"]


def test_a_long_loop_is_not_looked_at_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorpeek.probe.shapes import recorder

    looks = 0
    described = recorder.described

    def counted(value: Any) -> Any:
        nonlocal looks
        looks += 1
        return described(value)

    monkeypatch.setattr(recorder, "described", counted)
    module = load(tmp_path, "def f(x):\n    for i in range(10_000):\n        y = [x, i]\n    return y\n")
    seen = traced(module, lambda: module.f(X))
    assert seen.calls["[x, i]"] == 10_000
    assert looks <= 2 * (MOST_LOOKS + 10_000 // THEN_EVERY + 2)
