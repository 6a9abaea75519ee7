"""What is read out of launch and attach attributes, and which debugpy is taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import debugpy
import pytest

from tensorpeek.adapter.debugpy_location import BUNDLED_LIBS_VARIABLE, find_debugpy, version_of
from tensorpeek.adapter.launch_attributes import StartAttributes

INSTALLED = Path(debugpy.__file__).parent


def fake_debugpy(folder: Path, version: str) -> Path:
    package = folder / "debugpy"
    (package / "adapter").mkdir(parents=True)
    (package / "adapter" / "__main__.py").touch()
    (package / "_version.py").write_text(f'version_json = """{{"version": "{version}"}}"""')
    return package


def test_our_attributes_are_taken_out() -> None:
    start = StartAttributes.of(
        "launch", {"program": "x.py", "debugpyPath": "/d", "tensorpeek": {"valueBudgetMs": 5}}
    )
    assert start.passed_on == {"program": "x.py"}
    assert start.debugpy_path == "/d"
    assert start.budgets == {"valueBudgetMs": 5.0, "answerBudgetMs": 60.0}


@pytest.mark.parametrize("settings", [None, 5, {}, {"valueBudgetMs": "x"}, {"valueBudgetMs": -1}])
def test_unusable_budgets_are_the_defaults(settings: object) -> None:
    start = StartAttributes.of("launch", {"tensorpeek": settings})
    assert start.budgets == {"valueBudgetMs": 20.0, "answerBudgetMs": 60.0}


@pytest.mark.parametrize(
    ("attributes", "address"),
    [
        ({"connect": {"host": "h", "port": 5}}, ("h", 5)),
        ({"connect": {"port": "5"}}, ("127.0.0.1", 5)),
        ({"host": "h", "port": 5}, ("h", 5)),
        ({"port": 5}, ("127.0.0.1", 5)),
        ({"connect": {"host": "h"}}, None),
        ({"listen": {"port": 5}}, None),
        ({"processId": 5}, None),
    ],
)
def test_the_address_of_an_attach(attributes: dict[str, Any], address: object) -> None:
    assert StartAttributes.of("attach", attributes).address == address
    assert StartAttributes.of("launch", attributes).address is None


def test_the_interpreters_own_debugpy_is_found() -> None:
    assert find_debugpy() == INSTALLED
    assert version_of(INSTALLED) >= (1, 8)


@pytest.mark.parametrize("wanted", [INSTALLED.parent, INSTALLED], ids=["folder", "package"])
def test_a_wanted_debugpy(wanted: Path) -> None:
    assert find_debugpy(str(wanted)) == INSTALLED


def test_an_old_or_missing_debugpy_is_not_taken(tmp_path: Path) -> None:
    assert find_debugpy(str(tmp_path)) is None
    fake_debugpy(tmp_path, "1.6.7")
    assert find_debugpy(str(tmp_path)) is None


def test_the_bundled_one_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = fake_debugpy(tmp_path, "1.9.0")
    monkeypatch.setenv(BUNDLED_LIBS_VARIABLE, str(tmp_path))
    assert find_debugpy() == INSTALLED
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert find_debugpy() == bundled
