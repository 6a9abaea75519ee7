"""Who may import whom, as far as import-linter (pyproject.toml) cannot say it.

import-linter sees the graph of our modules, and runs with the linters. These tests see each import statement,
what is loaded in a real process, and older Pythons. Each check is itself checked: it has to fail on code that
breaks the rule.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tensorpeek
from harness.pythons import find_python

PACKAGE = Path(tensorpeek.__file__).parent
BACKEND = PACKAGE.parent
IMPORT_EVERYTHING = Path(__file__).with_name("import_everything.py")

DEBUGGEE_ROOMS = ("probe", "contract", "catalogue", "runs", "cli", "profiling")
"""What lives in the user's program."""
STANDARD_LIBRARY_ROOMS = ("probe", "contract", "catalogue", "runs", "cli", "profiling", "adapter")
PYDEVD = frozenset(
    {"_pydev_bundle", "_pydevd_bundle", "_pydevd_sys_monitoring"}
    | {"pydevd", "pydevd_file_utils", "pydevd_tracing"}
)
"""Already loaded in a program that is being debugged; only the files `probe/pydevd_….py` may touch it."""
USERS_LIBRARIES = frozenset({"torch", "numpy", "pandas", "sklearn", "jax", "tensorflow", "PIL", "scipy"})
IMPORTING_CALLS = frozenset({"__import__", "import_module"})


def code(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def files(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    """The full name of each module that the code imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
        elif isinstance(node, ast.Call) and called_name(node) in IMPORTING_CALLS:
            yield from (
                a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )


def called_name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def outside_standard_library(text: str, allowed: frozenset[str] = frozenset()) -> list[str]:
    """The imports of what neither Python brings nor is ours."""
    known = sys.stdlib_module_names | {"tensorpeek"} | allowed
    return [name for name in imported(ast.parse(text)) if name.split(".")[0] not in known]


def of_room(text: str, room: str) -> list[str]:
    """The imports of modules of one of our rooms."""
    package = f"tensorpeek.{room}"
    return [name for name in imported(ast.parse(text)) if f"{name}.".startswith(f"{package}.")]


STANDARD_LIBRARY_FILES = [path for room in STANDARD_LIBRARY_ROOMS for path in files(room)]


@pytest.mark.parametrize("path", STANDARD_LIBRARY_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_rooms_without_installed_packages_import_the_standard_library_only(path: Path) -> None:
    is_ours_to_touch = path.parent == PACKAGE / "probe" and path.name.startswith("pydevd_")
    allowed = PYDEVD if is_ours_to_touch else frozenset()
    assert outside_standard_library(code(path), allowed) == []


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "import numpy.linalg as l",
        "from torch import nn",
        "def f():\n    import torch",
        "if TYPE_CHECKING:\n    from numpy import ndarray",
        "t = __import__('torch')",
        "t = importlib.import_module('torch.nn')",
        "from . import tensor",
        "from _pydevd_bundle import pydevd_xml",
    ],
)
def test_that_check_can_fail(text: str) -> None:
    assert len(outside_standard_library(text)) == 1


def test_that_check_lets_right_code_pass() -> None:
    text = "import sys, json\nfrom tensorpeek.contract import messages\ntorch = sys.modules.get('torch')"
    assert outside_standard_library(text) == []


def imported_late(text: str) -> list[str]:
    """What of ours is imported inside functions."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    names = {name for function in functions for name in imported(function)}
    return sorted(name for name in names if name.partition(".")[0] == "tensorpeek")


PROBE_FILES = [path for path in files("probe") if path.name != "inject.py"]
"""Without the one that loads the others."""


@pytest.mark.parametrize("path", PROBE_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_probe_imports_nothing_of_ours_later(path: Path) -> None:
    """Once it is loaded, the name `tensorpeek` is the program's: the import would fail in a debuggee."""
    assert imported_late(code(path)) == []


def test_that_a_late_import_is_found() -> None:
    assert imported_late("def f():\n    from tensorpeek.runs import folder") == ["tensorpeek.runs"]


@pytest.mark.parametrize(
    ("room", "others"),
    [
        ("contract", ("adapter", "probe", "server")),
        ("probe", ("adapter", "server")),
        ("adapter", ("probe", "server")),
        ("server", ("adapter", "probe")),
    ],
)
def test_rooms_do_not_import_each_other(room: str, others: tuple[str, ...]) -> None:
    broken = [
        (path.name, name) for path in files(room) for other in others for name in of_room(code(path), other)
    ]
    assert broken == []


def test_that_check_can_fail_too() -> None:
    text = "from tensorpeek.probe import entry\nimport tensorpeek.probe\nimport tensorpeek.probes"
    assert of_room(text, "probe") == ["tensorpeek.probe", "tensorpeek.probe"]


def test_the_server_never_imports_the_users_libraries() -> None:
    names = {
        n.split(".")[0] for p in files("server") for n in imported(ast.parse(p.read_text(encoding="utf-8")))
    }
    assert names & USERS_LIBRARIES == set()


# -- in real processes -----------------------------------------------------------------------------------


def import_in(python: str, *packages: str, backend: Path = BACKEND) -> dict[str, str | None]:
    """Imports whole packages in another process and returns what that loaded; warnings are errors there."""
    command = [python, "-W", "error", "-B", str(IMPORT_EVERYTHING), str(backend), *packages]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def installed(loaded: dict[str, str | None]) -> set[str]:
    """Which of the modules come from an installation and not from Python itself or from us."""
    return {name for name, file in loaded.items() if file is not None and "site-packages" in Path(file).parts}


def test_importing_the_probe_loads_nothing_that_is_installed() -> None:
    loaded = import_in(sys.executable, *(f"tensorpeek.{room}" for room in DEBUGGEE_ROOMS))
    assert "tensorpeek.probe.entry" in loaded
    assert installed(loaded) == set()
    assert USERS_LIBRARIES & set(loaded) == set()


def test_that_check_can_fail_as_well(tmp_path: Path) -> None:
    package = tmp_path / "careless"
    package.mkdir()
    (package / "__init__.py").write_text("import numpy\n")
    assert "numpy" in installed(import_in(sys.executable, "careless", backend=tmp_path))


FOUND = [version for version in (f"3.{minor}" for minor in range(9, 16)) if find_python(version)]


@pytest.mark.parametrize("version", FOUND)
def test_what_runs_in_the_users_python_imports_in_each_one_found_here(version: str) -> None:
    loaded = import_in(find_python(version) or "", *(f"tensorpeek.{room}" for room in STANDARD_LIBRARY_ROOMS))
    assert {"tensorpeek.probe.entry", "tensorpeek.contract.messages"} <= set(loaded)
