"""The file of a trace is read as it was written, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.contract.messages import CONTRACT_VERSION, ShapeTrace
from tensorpeek.runs import shapes_file


def _trace(entry: str = "Net.forward(x)") -> ShapeTrace:
    return {
        "contractVersion": CONTRACT_VERSION,
        "time": "2026-11-30T03:15:00+00:00",
        "source": "fake",
        "entry": entry,
        "torch": "2.13.0",
        "symbols": [{"name": "B", "size": 4, "origin": "batch"}],
        "files": [
            {
                "path": "/a.py",
                "sha256": "",
                "text": "x = 1\n\ud800",
                "expressions": [],
                "names": [],
                "functions": [],
                "blocks": [],
            }
        ],
        "modules": [],
        "remarks": [],
        "problem": "",
        "truncated": False,
    }


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = shapes_file.write(tmp_path, _trace())

    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    read = shapes_file.read(tmp_path)
    assert read is not None
    assert read["entry"] == "Net.forward(x)"
    assert read["files"][0]["text"] == "x = 1\n\ud800"


def test_a_trace_whose_modules_lack_something_is_none(tmp_path: Path) -> None:
    path = shapes_file.write(tmp_path, _trace())
    written = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**written, "modules": [{"path": "fc"}]}))
    assert shapes_file.read(tmp_path) is None


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    for name in ("20261130-031500-train", "20261130-031600-train", "20261130-031700-silent", "other"):
        (tmp_path / name).mkdir()
    for name in ("20261130-031500-train", "20261130-031600-train", "other"):
        shapes_file.write(tmp_path / name, _trace(name))

    entries = [trace["entry"] for trace in shapes_file.newest(tmp_path)]

    assert entries == ["20261130-031600-train", "20261130-031500-train"]
    assert shapes_file.newest(tmp_path / "absent") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("contractVersion", -1),
        ("entry", 3),
        ("files", {}),
        ("files", [{}]),
        ("files", [3]),
        ("symbols", [None]),
        ("truncated", "no"),
    ],
)
def test_what_is_no_trace_is_not_read(tmp_path: Path, name: str, value: Any) -> None:
    (tmp_path / shapes_file.NAME).write_text(json.dumps({**_trace(), name: value}))

    assert shapes_file.read(tmp_path) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_no_fault(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("run")
    (folder / shapes_file.NAME).write_bytes(content)

    assert shapes_file.read(folder) is None
