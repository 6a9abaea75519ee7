"""Sizes get the names that the traced code has for them, where these are clear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from unit.shapes.programs import load

from tensorpeek.probe.shapes.call import Role, Target
from tensorpeek.probe.shapes.explicit import traced
from tensorpeek.probe.shapes.names import RAW, name_symbols

IDS = torch.zeros(4, 7, dtype=torch.long)


def _names(folder: Path, body: str, arguments: str = "ids") -> dict[str, int]:
    text = "from einops import rearrange, reduce, repeat\n"
    text += "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    text += "        self.table = nn.Embedding(9, 8)\n        self.rnn = nn.LSTM(8, 8, batch_first=True)\n"
    text += "\n".join(
        [f"    def forward(self, {arguments}):", *(f"        {line}" for line in body.split("\n"))]
    )
    model: Any = load(folder, text).Net()
    trace = traced(Target("", model, None, (IDS,), {}))
    assert trace["problem"] == ""
    assert not any(RAW.search(dim) for dim in _dims(trace))
    return {symbol["name"]: symbol["size"] for symbol in trace["symbols"]}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("rows, length = ids.size()\nreturn self.table(ids)", {"rows", "length"}),
        ("batch_size = ids.size(0)\nreturn self.table(ids)", {"batch_size", "T"}),
        ("*lead, width = self.table(ids).shape\nreturn ids", {"B", "T"}),
        ("_, steps = ids.shape\nreturn self.table(ids)", {"B", "steps"}),
        ("return rearrange(self.table(ids), 'n l (h d) -> n h l d', h=2)", {"n", "l"}),
        ("return rearrange(self.table(ids), 'n ... -> ... n')", {"n", "T"}),
        ("return repeat(self.table(ids), 'n l d -> k n l d', k=3)", {"n", "l"}),
        ("return reduce(self.table(ids), 'n l d -> n d', 'mean')", {"n", "T"}),
        ("x = self.table(ids)\nreturn torch.einsum('bid,bjd->bij', x, x)", {"b", "T"}),
        ("n = ids.shape[0]\nreturn rearrange(ids, 'samples l -> l samples')", {"n", "l"}),
        ("return rearrange(ids, 'a b -> b a') + rearrange(ids.t(), 'a b -> b a').t()", {"B", "T"}),
        # A number of Python's, as of `len` and `range`, is found by a second pass.
        ("n = len(ids)\nreturn self.table(ids)", {"B", "T"}),
        ("return torch.stack([self.table(row) for row in ids])", {"B", "T"}),
        ("return self.rnn(self.table(ids))[0]", {"B", "T"}),
        ("x = self.table(ids)\nfor t in range(x.shape[1]):\n    y = x[:, t]\nreturn y", {"B", "T"}),
    ],
)
def test_the_words_of_the_code_are_taken(tmp_path: Path, body: str, names: set[str]) -> None:
    found = _names(tmp_path, body)

    assert set(found) == names
    assert sorted(found.values()) == [4, 7]


HELPER = """
def masked(x, steps):
    return x + torch.ones(steps)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, ids):
        LINE
        return masked(ids * self.scale, ids.shape[1])
"""


@pytest.mark.parametrize(("line", "name"), [("pass", "steps"), ("length = ids.shape[1]", "length")])
def test_an_argument_gives_its_name_where_no_variable_does(tmp_path: Path, line: str, name: str) -> None:
    model: Any = load(tmp_path, HELPER.replace("LINE", line)).Net()

    trace = traced(Target("", model, None, (IDS,), {}))

    assert [symbol["name"] for symbol in trace["symbols"]] == ["B", name]
    assert f"{line if line != 'pass' else 'def masked(x, steps):'} (" in trace["symbols"][1]["origin"]


@given(
    st.lists(
        st.tuples(st.sampled_from("abBTN"), st.sampled_from(["s0", "s1", "u0", "s0*s1", "8"])), max_size=8
    ),
    st.booleans(),
)
def test_symbols_never_share_a_name(bound: list[tuple[str, str]], has_roles: bool) -> None:
    lines = [f"    {name} = {dim!r}" for name, dim in bound]
    value: dict[str, Any] = {"type": "int", "dtype": "", "device": "", "items": [], "length": 0, "sizes": [4]}
    names: list[Any] = [
        {
            "name": name,
            "line": line + 2,
            "column": 4,
            "endLine": line + 2,
            "endColumn": 5,
            "values": [{**value, "kind": "number", "dims": [dim]}],
            "order": [0],
            "calls": 1,
        }
        for line, (name, dim) in enumerate(bound)
    ]
    trace: Any = {
        "files": [
            {
                "path": "/a.py",
                "text": "\n".join(["def f():", *lines, "    pass"]),
                "expressions": [],
                "names": names,
            }
        ],
        "modules": [],
        "remarks": [],
        "symbols": [],
        "problem": "",
    }
    roles = {"s0": Role("B", 4, "the batch"), "s1": Role("T", 7, "a length")} if has_roles else {}

    given_names = name_symbols(trace, roles)

    raw = {part for _, dim in bound for part in RAW.findall(dim)}
    assert set(given_names) == raw
    assert len(set(given_names.values())) == len(raw)
    assert {symbol["name"] for symbol in trace["symbols"]} == set(given_names.values())
    for (name, dim), row in zip(bound, names, strict=True):
        others = {other for word, other in bound if word == name and other != dim}
        shown = row["values"][0]["dims"][0]
        is_default = dim in roles and roles[dim].name == name
        if shown == name and RAW.fullmatch(dim) and not is_default:
            assert not others & raw


def _dims(trace: Any) -> list[str]:
    return [
        dim
        for file in trace["files"]
        for row in (*file["expressions"], *file["names"])
        for value in row["values"]
        for dim in value["dims"]
    ]
