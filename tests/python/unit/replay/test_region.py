"""Which statements and names belong to a step, on examples and on made-up functions."""

from __future__ import annotations

import ast
import linecache
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.probe.replay.names import read_first, written
from tensorpeek.probe.replay.region import names_to_keep, path_to, region, region_to_backward
from tensorpeek.probe.replay.rewrite import LEFT, compiled
from tensorpeek.probe.replay.source import Function, function_of

LOOP = """
def train(net, loader, opt, scaler):
    h = None
    total = 0.0
    for x, y in loader:
        x = x * 2
        with amp():
            out, h = net(x, h)
            loss = f(out, y)
        total += loss.item()
        scaler.scale(loss).backward()
        opt.step()
    return total

def compute(net, x, *rest, scale=1, **more):
    return net(x).sum() * scale

@decorated
def decorated_one(net, x):
    net(x).sum().backward()

def generator(net, x):
    yield net(x)

def backward_first(net, loader):
    out = None
    for x in loader:
        if out is not None:
            out.sum().backward()
        out = net(x)
        y = 1

def steps_inside(cell, xs):
    loss, h = 0, None
    for x in xs:
        out, h = cell(x, h)
        loss = loss + out.sum()
    loss.backward()
"""
NAMES = ("a", "b", "c", "d")


def code_of(text: str, name: str, path: str) -> CodeType:
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    made: dict[str, object] = {"decorated": lambda function: function}
    exec(compile(text, path, "exec"), made)
    code = made[name].__code__  # type: ignore[attr-defined]
    assert isinstance(code, CodeType)
    return code


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.mark.parametrize(
    ("name", "call", "kept"),
    [
        ("train", "out, h = net(x, h)", ("h", "total")),
        ("compute", "net(x).sum() * scale", ("net", "x", "scale", "rest", "more")),
        ("decorated_one", "net(x).sum().backward()", ()),
        ("generator", "yield net(x)", ()),
        ("backward_first", "out = net(x)", ()),
        ("steps_inside", "cell(x, h)", ("h", "loss")),
    ],
)
def test_the_names_that_a_step_overwrites(name: str, call: str, kept: tuple[str, ...]) -> None:
    assert names_to_keep(code_of(LOOP, name, "/made/up/loop.py"), line_of(LOOP, call)) == kept


def test_a_step_goes_from_the_model_to_the_backward_call() -> None:
    function = function_of(code_of(LOOP, "train", "/made/up/loop.py"))
    assert function is not None
    found = region_to_backward(function, line_of(LOOP, "net(x, h)"))
    assert found is not None
    assert [type(statement).__name__ for statement in found.statements] == ["With", "AugAssign", "Expr"]
    assert found.maker_of("x") is found.path[-1].body[0]
    maker = found.maker_of("y")
    assert isinstance(maker, ast.For)
    assert found.maker_of("nothing") is None
    inner = region(function, line_of(LOOP, "net(x, h)"), line_of(LOOP, "loss = f"))
    assert inner is not None
    assert len(inner.statements) == 2
    assert len(inner.withs()) == 1


def test_a_backward_call_above_ends_the_loops_body() -> None:
    function = function_of(code_of(LOOP, "backward_first", "/made/up/loop.py"))
    assert function is not None
    found = region_to_backward(function, line_of(LOOP, "        out = net(x)"))
    assert found is not None
    assert len(found.statements) == 2


def test_without_source_nothing_is_kept() -> None:
    assert names_to_keep(compile("x = 1", "/not/there.py", "exec"), 1) == ()


@st.composite
def statements(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Lines of a body that reads and writes a few names, and never fails."""
    lines: list[str] = []
    name = st.sampled_from(NAMES)
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(
            st.sampled_from(
                ["assign", "add", "if", "for", "try", "list", "walrus", "def"][: 8 if depth < 2 else 2]
            )
        )
        a, b, c = draw(name), draw(name), draw(name)
        inner = (
            ["    " + line for line in draw(statements(depth + 1))]
            if kind in ("if", "for", "try", "def")
            else []
        )
        if kind == "assign":
            lines.append(f"{a} = {b} + {c} + 1")
        elif kind == "add":
            lines.append(f"{a} += {b}")
        elif kind == "if":
            lines += [f"if {a} % 2:", *inner, "else:", f"    {b} = {c}"]
        elif kind == "for":
            lines += [f"for {a} in range({b} % 3):", *inner]
        elif kind == "try":
            lines += [
                "try:",
                *inner,
                f"    {a} = 1 // ({b} % 2)",
                "except ZeroDivisionError as e:",
                f"    {c} = 5",
            ]
        elif kind == "list":
            lines.append(f"{a} = sum([{b} + i for i in range({c} % 3) if i != {b}])")
        elif kind == "walrus":
            lines.append(f"{a} = ({b} := {c} + 2) * 2")
        else:
            lines += [f"def g({a}):", *inner, f"    return {a}", f"{b} = g({c})"]
    return lines


def run(lines: list[str], values: dict[str, int]) -> dict[str, object]:
    """What a function of these lines makes of the values of its names."""
    body = "\n".join("    " + line for line in [*lines, "return dict(locals())"])
    made: dict[str, object] = {}
    exec(f"def f({', '.join(NAMES)}):\n{body}", made)
    found = made["f"](**values)  # type: ignore[operator]
    return {name: found.get(name) for name in NAMES}


@given(statements(), st.lists(st.integers(0, 9), min_size=4, max_size=4), st.data())
def test_what_is_not_read_first_makes_no_difference(
    lines: list[str], values: list[int], data: st.DataObject
) -> None:
    body = ast.parse("\n".join(lines)).body
    needed, changed = read_first(body), written(body)
    before = dict(zip(NAMES, values, strict=True))
    other = {
        name: value if name in needed else data.draw(st.integers(10, 19)) for name, value in before.items()
    }
    try:
        one, two = run(lines, before), run(lines, other)
    except NameError:  # a nested function's own names
        return
    for name in changed & set(NAMES):
        # What is written in a branch only keeps its old value otherwise.
        assert one[name] == two[name] or (one[name] == before[name] and two[name] == other[name])
    for name in set(NAMES) - changed:
        assert one[name] == before[name]


@given(statements(), st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_statements_do_the_same_outside_of_their_function(lines: list[str], values: list[int]) -> None:
    names: dict[str, object] = dict(zip(NAMES, values, strict=True))
    try:
        inside = run(lines, dict(zip(NAMES, values, strict=True)))
    except NameError:
        return
    exec(compiled(ast.parse("\n".join(lines)).body, "made-up", "", ""), names)
    assert {name: names[name] for name in NAMES} == inside


@given(statements())
def test_the_path_to_a_line_ends_at_its_statement(lines: list[str]) -> None:
    body = ast.parse("\n".join(lines)).body
    for line in range(1, len(lines) + 1):
        path = path_to(body, line)
        for spot in path:
            assert spot.statement.lineno <= line <= (spot.statement.end_lineno or 0)
        function = Function(body)
        found = region(function, line, line)
        assert found is not None
        assert found.covers(line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: Unimportable = 1", 1),
        ("global x\nx = 2", 2),
        ("x = self.__secret", 3),
        ("x = 4\nif x == 5:\n    return 6", 4),
        ("x = [self.__secret for _ in range(2)][1] + 2", 5),
        ("x = 6\nif x == 6:\n    continue", 6),
        ("x = (lambda y: y)(7)", 7),
        ("y = yield 1\nx = 8", 8),
    ],
)
def test_what_only_a_function_may_say(text: str, expected: int) -> None:
    class Owner:
        def __init__(self) -> None:
            self.__secret = 3

    tree = ast.parse(
        "def f(self):\n    while True:\n" + "".join(f"        {line}\n" for line in text.splitlines())
    )
    loop = tree.body[0].body[0]  # type: ignore[attr-defined]
    names: dict[str, object] = {"self": Owner(), LEFT: RuntimeError}
    exec(compiled(loop.body, "made-up", "Owner", "self"), names)
    assert names["x"] == expected
