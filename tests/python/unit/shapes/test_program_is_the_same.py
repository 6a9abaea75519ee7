"""A traced program does what it does untraced, and has its own code back afterwards."""

from __future__ import annotations

import gc
import sys
import threading
import traceback
from pathlib import Path

import pytest
import torch
from torch.overrides import TorchFunctionMode

from .programs import Seen, load, traced, tracing

X = torch.zeros(2, 3)


def test_code_is_restored_also_after_an_error(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    return x @ x\ndef g(x):\n    return x\n")
    before = module.f.__code__, module.g.__code__
    with tracing(module):
        assert module.f.__code__ is not before[0]
        with pytest.raises(RuntimeError):
            module.f(X)
    with pytest.raises(RuntimeError), tracing(module):
        module.f(X)
    assert (module.f.__code__, module.g.__code__) == before
    assert module.f.__code__ is before[0]


def test_functions_that_are_made_meanwhile_get_the_own_code_too(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    def later(y):\n        z = y + x\n        return z\n"
        "    class C:\n        def m(self):\n            return later(x)\n    return later, C\n",
    )
    with tracing(module) as tracer:
        later, cls = module.f(X)
        later(X)
    assert Seen(tracer.recording).names["z"] == ["2 3"]
    placeholders = [c for code in (later.__code__, cls.m.__code__) for c in code.co_consts if callable(c)]
    assert placeholders == []
    assert torch.equal(cls().m(), X)


def test_functions_that_the_collector_has_put_aside_are_traced(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def d(f):\n    def inner(x):\n        return f(x)\n    return inner\n"
        "@d\ndef f(x):\n    return x.t()\n",
    )
    sys.modules["frozen_program"] = module
    gc.freeze()
    try:
        seen = traced(module, lambda: module.f(X))
    finally:
        gc.unfreeze()
        del sys.modules["frozen_program"]
    assert seen.expressions["x.t()"] == ["3 2"]


def test_a_file_that_was_edited_since_its_import_is_not_run(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    return x + 1\ndef g(x):\n    return x.t()\n")
    path = Path(module.__file__ or "")
    path.write_text(path.read_text("utf-8").replace("x + 1", "x + 2"), "utf-8")
    with tracing(module) as tracer:
        assert torch.equal(module.f(X), X + 1)
        module.g(X)
    assert list(Seen(tracer.recording).functions) == ["g"]


def test_tracebacks_are_the_same(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    y = [\n        g(\n            r\n        ) for r in x\n    ]\n    return y\n"
        "def g(r):\n    return (r.view(3,\n                   1)\n            @ r.view(3, 1))\n",
    )

    def told() -> str:
        try:
            module.f(X)
        except RuntimeError:
            return traceback.format_exc()
        raise AssertionError

    plain = told()
    with tracing(module):
        assert told() == plain


def test_names_and_locals_of_the_program_are_the_same(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "import sys, inspect, builtins\n"
        'def f(x, k=(1, 2)):\n    """Doc."""\n    y = [z for z in x]\n'
        "    return sorted(locals()), f.__doc__, sys._getframe().f_code.co_name, f.__defaults__, "
        "inspect.currentframe().f_lineno, sorted(vars(builtins)), sorted(globals()), inspect.signature(f)\n",
    )
    plain = module.f(X)
    with tracing(module):
        assert module.f(X) == plain


def test_conditions_of_tensors_are_not_asked_twice(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "class T:\n    asked = 0\n    def __bool__(self):\n        T.asked += 1\n        return True\n"
        "    def __getattr__(self, name):\n        raise AssertionError(name)\n"
        "    def __len__(self):\n        raise AssertionError\n"
        "def f():\n    return [t for t in [T()] if t and not (t and T())], (u := T()) or 1\n",
    )
    module.f()
    plain = module.T.asked
    with tracing(module):
        module.f()
    assert module.T.asked == 2 * plain


def test_other_threads_are_not_heard_and_a_second_trace_is_refused(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    return x.t()\n")
    with tracing(module) as tracer:
        other = threading.Thread(target=module.f, args=(X,))
        other.start()
        other.join()
        with pytest.raises(RuntimeError, match="another pass"), tracing(module):
            pass
    assert Seen(tracer.recording).functions == {}
    assert traced(module, lambda: module.f(X)).functions == {"f": 1}


def test_training_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a, self.n = nn.Linear(3, 8), nn.BatchNorm1d(8)\n"
        "    def forward(self, x):\n        h = F.dropout(self.n(self.a(x)), 0.5)\n        h *= 2\n"
        "        return h.sum()\n",
    )

    def train(is_traced: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        net = module.Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            x = torch.randn(4, 3)
            optimizer.zero_grad()
            if is_traced:
                with tracing(module):
                    loss = net(x)
            else:
                loss = net(x)
            loss.backward()
            optimizer.step()
        return [*net.state_dict().values(), torch.get_rng_state()]

    assert all(torch.equal(a, b) for a, b in zip(train(False), train(True), strict=True))


def test_modes_and_jit_traces_of_the_program_notice_nothing(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    y = x + 1\n    return y.t()\n")

    class Mode(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[str] = []

        def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.heard.append(func.__name__)
            return func(*args, **(kwargs or {}))

    plain, watched = Mode(), Mode()
    with plain:
        module.f(X)
    with tracing(module) as tracer, watched:
        module.f(X)
    assert watched.heard == plain.heard
    assert Seen(tracer.recording).names["y"] == ["2 3"]


def test_a_scripted_module_and_a_functional_call_run_as_ever(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(3, 4)\n"
        "    def forward(self, x):\n        return self.a(x).relu()\n",
    )
    net = module.Net()
    weights = {name: torch.ones_like(value) for name, value in net.named_parameters()}
    with tracing(module) as tracer:
        out = torch.func.functional_call(net, weights, (X,))
        torch.func.vmap(net)(X)
    assert torch.equal(out, torch.ones(2, 4))
    assert Seen(tracer.recording).expressions["self.a(x)"] == ["2 4", "4"]
