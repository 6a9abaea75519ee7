"""Files that are written in unusual ways: what is told has the right place, or nothing is told."""

from __future__ import annotations

import codecs
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch

from .programs import traced, tracing

X = torch.zeros(2, 3)
BODY = "def f(x):\n    ä = 'é漢🎉'; y = x.t()  # ünï\n    return (y, ä)[0] @ x\n"


def module_of(folder: Path, content: bytes) -> ModuleType:
    path = folder / "program.py"
    path.write_bytes(content)
    spec = importlib.util.spec_from_file_location("written_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "content",
    [
        BODY.encode(),
        codecs.BOM_UTF8 + BODY.encode(),
        BODY.replace("\n", "\r\n").encode(),
        BODY.replace("\n", "\r").encode(),
        BODY.replace("    ", "\t").encode(),
        ("\f\n" + BODY.replace("\n    ret", "\n\f    ret")).encode(),
        ("# coding: latin-1\n" + BODY.replace("漢🎉", "ß")).encode("latin-1"),
        ("# vim: set fileencoding=gb18030 :\n" + BODY).encode("gb18030"),
        ("x = '\x0b \x1c \x85 \u2028'\n" + BODY).encode(),
        BODY.replace("ä = ", "ä = \\\n        ").encode(),
        BODY.rstrip("\n").encode(),
    ],
    ids=["plain", "bom", "crlf", "cr", "tabs", "feeds", "latin-1", "gb18030", "lines", "joined", "cut"],
)
def test_places_are_right_in(content: bytes, tmp_path: Path) -> None:
    module = module_of(tmp_path, content)
    seen = traced(module, lambda: module.f(X))
    assert seen.expressions["x.t()"] == ["3 2"]
    assert any(text.endswith("[0] @ x") and shapes == ["3 3"] for text, shapes in seen.expressions.items())
    assert seen.names == {"x": ["2 3"], "y": ["3 2"]}


def test_a_long_file_is_traced(tmp_path: Path) -> None:
    parts = "".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(1_000))
    module = module_of(tmp_path, parts.encode())
    seen = traced(module, lambda: (module.f0(X), module.f999(X)))
    assert seen.functions == {"f0": 1, "f999": 1}
    assert seen.expressions == {"x + 0": ["2 3"], "x + 999": ["2 3"]}


@pytest.mark.parametrize(
    "expression", [f"x{' + 1' * 700}", f"{'(' * 90}x{' + 1)' * 90} + 1", f"{'-' * 500}x", f"x{'.t()' * 300}"]
)
def test_what_is_nested_deeply_runs_and_the_rest_is_told(expression: str, tmp_path: Path) -> None:
    module = module_of(tmp_path, f"def f(x):\n    y = x.t()\n    z = {expression}\n    return z\n".encode())
    seen = traced(module, lambda: module.f(X))
    assert seen.names == {"x": ["2 3"], "y": ["3 2"], "z": ["2 3"]}
    assert seen.expressions["x.t()"][0] == "3 2"
    assert seen.expressions[expression] == ["2 3"]


def test_a_long_chain_of_branches_runs(tmp_path: Path) -> None:
    chain = "    if n == 0:\n        y = x\n" + "".join(
        f"    elif n == {k}:\n        y = x + {k}\n" for k in range(1, 400)
    )
    module = module_of(tmp_path, f"def f(x, n):\n{chain}    return y.t()\n".encode())
    seen = traced(module, lambda: (module.f(X, 3), module.f(X, 399)))
    assert seen.expressions["y.t()"] == ["3 2"]
    assert seen.expressions["x + 3"] == ["2 3"]


def test_a_file_that_is_gone_or_is_no_python_is_left_alone(tmp_path: Path) -> None:
    module = module_of(tmp_path, BODY.encode())
    path = Path(module.__file__ or "")
    for content in (b"def f(:\n", b"\0", b"\xff\xfe", b""):
        path.write_bytes(content)
        assert traced(module, lambda: module.f(X)).trace["files"] == []
    path.unlink()
    assert traced(module, lambda: module.f(X)).trace["files"] == []


def test_a_function_of_another_files_name_is_left_alone(tmp_path: Path) -> None:
    module = module_of(tmp_path, BODY.encode())
    scope: dict[str, object] = {}
    exec(compile("def f(x):\n    return x.t()\n", module.__file__ or "", "exec"), scope)
    module.f = scope["f"]
    assert traced(module, lambda: module.f(X)).trace["files"] == []


def test_places_of_several_lines(tmp_path: Path) -> None:
    text = b"import torch\ndef f(x):\n    return torch.cat(\n        [x,\n         x],\n    )\n"
    module = module_of(tmp_path, text)
    with tracing(module) as tracer:
        module.f(X)
    (recorder,) = tracer.recording.files.values()
    places = [recorder.file.places.expressions[number] for number in recorder.expressions]
    assert sorted(places) == [(3, 11, 6, 5), (4, 8, 5, 11)]
