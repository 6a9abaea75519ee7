"""Traces that others wrote, that are damaged or of another file: nothing of them may raise."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types
from shape_traces import TEXT, net, write

from tensorpeek.runs import shapes_file
from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.feature import Shapes
from tensorpeek.server.shapes.settings import CHOICES, Settings

ALL = types.Range(types.Position(0, 0), types.Position(10_000, 0))
EDITED = TEXT.replace("Linear(64, 10)", "Linear(32, 10)").replace("y = y.relu()", "é = '😀'; y = y.relu()")
NUMBERS = st.sampled_from([-(10**30), -1, 0, 1, 7, 19, 10**30])
STRINGS = st.sampled_from(["", "B", "-1", "`|\n", "\ud800", "x" * 10_000, "2*T+1", "(" * 500, "ü", "∞"])
OTHERS = st.sampled_from([None, True, 1.5, [], {}, [[]], [None]])


def places(of: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all that can be replaced."""
    found = [path] if path else []
    if isinstance(of, dict):
        return found + [each for key in of for each in places(of[key], (*path, key))]
    if isinstance(of, list):
        return found + [each for at in range(len(of)) for each in places(of[at], (*path, at))]
    return found


@st.composite
def damaged(draw: st.DrawFn, path: Path) -> dict[str, Any]:
    trace = copy.deepcopy(net(path))
    remark = {"rule": "r", "severity": "warning", "title": "T", "message": "M", "path": str(path), "line": 15}
    remark |= {"column": 12, "endLine": 15, "endColumn": 20, "lineText": "", "evidence": [], "next": []}
    trace["remarks"].append({**remark, "related": [{"path": str(path), "line": 11, "message": "m"}]})
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.sampled_from(places(trace)))
        if where == ("files", 0, "path"):
            continue
        holder = trace
        for key in where[:-1]:
            holder = holder[key]
        old = holder[where[-1]]
        kind = draw(st.sampled_from(["same", "same", "same", "other", "twice"]))
        if kind == "other":
            holder[where[-1]] = draw(OTHERS)
        elif kind == "twice" and isinstance(holder, list):
            holder.append(copy.deepcopy(old))
        elif isinstance(old, int) and not isinstance(old, bool):
            holder[where[-1]] = draw(NUMBERS)
        elif isinstance(old, str):
            holder[where[-1]] = draw(STRINGS)
        elif isinstance(old, list):
            holder[where[-1]] = []
    return trace


def look_at_everything(folder: Path, path: Path) -> None:
    documents, uri = Documents(), path.as_uri()
    documents.open(uri, TEXT)
    shapes = Shapes(documents, lambda _params: None)
    shapes.read([folder])
    for text in (TEXT, EDITED, TEXT + "x = (", ""):
        documents.open(uri, text)
        shapes.changed(uri)
        for choice in CHOICES:
            shapes.settings = Settings(choice)
            for hint in shapes.inlay_hints(uri, ALL):
                shapes.resolved(hint)
        shapes.lenses(uri)
        for line in range(text.count("\n") + 2):
            shapes.hover(uri, types.Position(line, 12))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_raises(data: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    write(tmp_path, data.draw(damaged(path)))
    look_at_everything(tmp_path, path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_half_a_file_is_none(share: float, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    write(tmp_path, net(path))
    [file] = tmp_path.rglob("shapes.json")
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    look_at_everything(tmp_path, path)


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    write(tmp_path, net(path))
    [file] = tmp_path.rglob("shapes.json")
    assert shapes_file.read(file.parent) is not None
    monkeypatch.setattr(shapes_file, "LARGEST", file.stat().st_size - 1)
    assert shapes_file.read(file.parent) is None


@pytest.mark.parametrize("depth", [20, 150, 5_000])
def test_a_deep_value_does_no_harm(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    trace = net(path)
    fields = {
        "kind": "container",
        "type": "list",
        "dims": [],
        "sizes": [],
        "dtype": "",
        "device": "",
        "length": 1,
    }
    opened, closed = json.dumps({**fields, "items": [{"key": "0", "value": "HERE"}]}).split('"HERE"')
    inner = json.dumps(trace["files"][0]["names"][0]["values"][0])
    for each in [*trace["files"][0]["names"], *trace["files"][0]["expressions"]]:
        each["values"] = ["HERE"]
    write(tmp_path, trace)
    [file] = tmp_path.rglob("shapes.json")
    file.write_text(file.read_text().replace('"HERE"', opened * depth + inner + closed * depth))
    look_at_everything(tmp_path, path)
