"""Which expressions and names a trace has the shapes of, in whatever kind of code they stand."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import torch

from .programs import Seen, load, traced, tracing

X = torch.zeros(2, 3)


def test_assignments_calls_and_operators(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    y: torch.Tensor = (x + 1).t()\n    y += y[0]\n    return x @ y\n")
    seen = traced(module, lambda: module.f(X))
    assert seen.names == {"x": ["2 3"], "y": ["3 2", "3 2"]}
    assert seen.expressions["x + 1"] == ["2 3"]
    assert seen.expressions["(x + 1).t()"] == ["3 2"]
    assert seen.expressions["y[0]"] == ["2"]
    assert seen.expressions["x @ y"] == ["2 2"]


@pytest.mark.parametrize(
    ("body", "names", "expressions"),
    [
        ("    if (n := x.t()) is not None:\n        return n", {"n": ["3 2"]}, {"x.t()": ["3 2"]}),
        ("    return [r.view(1, 3) for r in x]", {"r": ["3"]}, {"r.view(1, 3)": ["1 3"]}),
        ("    return sum(r.sum() for r in x if r.t() is not None)", {"r": ["3"]}, {"r.t()": ["3"]}),
        ("    return {k: v[0] for k, v in {'a': x}.items()}", {"v": ["2 3"]}, {"v[0]": ["3"]}),
        ("    (a, *b), c = x.unbind(0), x\n    return b", {"a": ["3"], "b": ["[0: 3]"], "c": ["2 3"]}, {}),
        ("    for i, r in enumerate(x):\n        pass", {"r": ["3"]}, {}),
        ("    x[:, x.sum(0) > 1] = 0", {}, {"x.sum(0)": ["3"]}),
        ("    v, i = x.max(1)\n    return v", {"v": ["2"]}, {"x.max(1)": ["[values: 2, indices: 2]"]}),
        ("    return x if x.ndim else x.t()", {}, {"x if x.ndim else x.t()": ["2 3"]}),
        (
            "    return torch.stack([x, x], 0)[..., : x[0].numel()]",
            {},
            {"x[0]": ["3"], "[x, x]": ["[0: 2 3, 1: 2 3]"]},
        ),
        ("    g = lambda z: z.t()\n    return g(x)", {"z": ["2 3"]}, {"g(x)": ["3 2"], "z.t()": ["3 2"]}),
        (
            "    a, b = lambda z: z.t(), lambda z: z[0]\n    return a(x), b(x)",
            {"z": ["2 3", "2 3"]},
            {"z.t()": ["3 2"], "z[0]": ["3"]},
        ),
        (
            "    def g(y=x.t(), *, z=x[0]):\n        return y\n    return g()",
            {"y": ["3 2"], "z": ["3"]},
            {"x.t()": ["3 2"], "x[0]": ["3"]},
        ),
        ("    x += x.sum(0)\n    return x", {"x": ["2 3", "2 3"]}, {"x += x.sum(0)": ["2 3"]}),
        ("    x[:, 0] *= 2\n    return x", {}, {"x[:, 0] *= 2": ["2"], "x[:, 0]": ["2"]}),
        (
            "    x.grad = x.t().t()\n    x.grad += 1",
            {},
            {"x.grad += 1": ["2 3"], "x.grad": ["2 3"], "x.t().t()": ["2 3"]},
        ),
        (
            "    x[x[:, 0] == 0] -= x.sum(0)",
            {},
            {"x[x[:, 0] == 0] -= x.sum(0)": ["2 3"], "x[:, 0] == 0": ["2"]},
        ),
        (
            "    def g():\n        nonlocal x\n        x = x.t()\n        return x\n    return g()",
            {"x": ["2 3", "3 2"]},
            {"g()": ["3 2"]},
        ),
        ("    with torch.no_grad() as _, open(__file__) as f:\n        y = x.t()", {"y": ["3 2"]}, {}),
        (
            "    try:\n        x @ x\n    except RuntimeError as e:\n        y = x.t()\n    return y",
            {"y": ["3 2"]},
            {},
        ),
        ('    """Doc."""\n    return x.t()', {"x": ["2 3"]}, {"x.t()": ["3 2"]}),
    ],
)
def test_forms_of_code(
    tmp_path: Path, body: str, names: dict[str, list[str]], expressions: dict[str, list[str]]
) -> None:
    module = load(tmp_path, f"def f(x):\n{body}\n")
    seen = traced(module, lambda: module.f(X.clone()))
    assert {name: seen.names[name] for name in names} == names
    assert {text: seen.expressions[text] for text in expressions} == expressions


def test_captures_of_a_match(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    match [x, x.t()]:\n        case [a, *b] if a.sum() == 0:\n            return b\n",
    )
    seen = traced(module, lambda: module.f(X))
    assert seen.names["a"] == ["2 3"]
    assert seen.names["b"] == ["[0: 3 2]"]
    assert seen.expressions["a.sum()"] == [""]


def test_generators_async_functions_and_recursion(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def g(x):\n    for r in x:\n        yield r.view(3, 1)\n"
        "async def one(x):\n    return x.t()\n"
        "async def a(x):\n    return await one(x)\n"
        "def down(x):\n    return x if len(x) < 2 else down(x[1:])\n",
    )
    seen = traced(module, lambda: (list(module.g(X)), asyncio.run(module.a(X)), module.down(torch.zeros(4))))
    assert seen.expressions["r.view(3, 1)"] == ["3 1"]
    assert seen.expressions["await one(x)"] == ["3 2"]
    assert seen.expressions["x[1:]"] == ["3", "2", "1"]
    assert seen.functions == {"g": 1, "one": 1, "a": 1, "down": 4}


def test_methods_behind_decorators_super_private_names_and_class_cells(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "import functools\n"
        "def twice(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return f(*a) * 2\n"
        "    return inner\n"
        "class A:\n    def go(self, x):\n        return x.t()\n"
        "class B(A):\n"
        "    def __init__(self):\n        self.__w = torch.ones(2, 3)\n"
        "    @twice\n"
        "    def go(self, __x):\n        return super().go(self.__w + __x) if __class__ else None\n"
        "    @staticmethod\n    def s(x):\n        return x[0]\n"
        "    @classmethod\n    def c(cls, x):\n        return x[1]\n"
        "    @property\n    def p(self):\n        return self.__w.sum(0)\n",
    )
    b = module.B()
    seen = traced(module, lambda: (b.go(X), b.s(X), module.B.c(X), b.p))
    assert seen.expressions["self.__w + __x"] == ["2 3"]
    assert seen.expressions["super().go(self.__w + __x)"] == ["3 2"]
    assert seen.expressions["f(*a)"] == ["3 2"]
    assert seen.expressions["x[0]"] == seen.expressions["x[1]"] == ["3"]
    assert seen.expressions["self.__w.sum(0)"] == ["3"]


def test_what_was_seen_before_an_error_is_kept(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    y = x.t()\n    return y @ y\n")
    with pytest.raises(RuntimeError), tracing(module) as tracer:
        module.f(X)
    seen = Seen(tracer.recording)
    assert seen.names["y"] == ["3 2"]
    assert "y @ y" not in seen.expressions


def test_a_long_loop_is_counted_to_its_end_and_kept_in_bounds(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    held = []\n    for i in range(10_000):\n"
        "        y = x[: i % 50]\n        held = [*held[-3:], y]\n    return y\n",
    )
    seen = traced(module, lambda: module.f(torch.zeros(50)))
    assert seen.calls["x[: i % 50]"] == seen.calls["[*held[-3:], y]"] == 10_000
    row = next(row for row in seen.trace["files"][0]["expressions"] if row["calls"] == 10_000)
    assert len(row["values"]) <= 20
    assert len(row["order"]) <= 200
    assert seen.trace["truncated"]


def test_blocks_that_ran_are_marked(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "def f(x):\n    if x.ndim == 2:\n        x = x.t()\n    else:\n        x = x[0]\n    return x\n",
    )
    seen = traced(module, lambda: module.f(X))
    assert seen.trace["files"][0]["blocks"] == [6]
