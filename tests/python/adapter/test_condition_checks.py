"""What the adapter makes of the texts of a breakpoint, without a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tensorpeek.adapter.line_conditions import (
    OwnName,
    problem_with,
    uses_tp,
    warm_up_message,
    with_percent_signs,
)


@pytest.mark.parametrize(
    "text", ["5", " 5 ", ">= 5", "% 5", "== 3", "<10", "@HIT@ > 3".replace("@HIT@", "x")]
)
def test_hit_counts_that_debugpy_understands_pass(text: str) -> None:
    assert problem_with({"line": 1, "hitCondition": text}) == ""


def test_a_hit_count_that_is_none_is_refused() -> None:
    assert problem_with({"line": 1, "hitCondition": "each 5th"}).startswith("A hit count is a number")


@pytest.mark.parametrize(
    ("message", "passed"),
    [
        ("5 % {x}", "5 %% {x}"),
        ("{x % 2} % {{'a': '%'}}", "{x % 2} %% {{'a': '%'}}"),
        ("100 %", "100 %"),
        ("100 % {}", "100 % {}"),
        ("{x}", "{x}"),
    ],
)
def test_percent_signs_survive_debugpys_formatting(message: str, passed: str) -> None:
    assert with_percent_signs({"line": 1, "logMessage": message})["logMessage"] == passed


@pytest.mark.parametrize(
    ("breakpoint", "expected"),
    [
        ({"condition": "tp.every(3)"}, True),
        ({"logMessage": "{tp.line(x)}"}, True),
        ({"condition": "tp > 3"}, False),
        ({"condition": "x >"}, False),
        ({"condition": "any(tp.a for tp in x)"}, False),
        ({}, False),
    ],
)
def test_whether_it_uses_tp(breakpoint: dict[str, Any], expected: bool) -> None:
    assert uses_tp({"line": 1, **breakpoint}) is expected


def test_a_warm_up_is_said() -> None:
    assert (
        warm_up_message({"condition": "tp.spike(x, warmup=100)"}) == "Watches 100 values first, then stops."
    )
    assert warm_up_message({"condition": "tp.every(3)"}) == ""
    assert warm_up_message({"condition": "tp.spike()"}) == ""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tp", True),
        ("from a import b as tp", True),
        ("def f(tp): pass", True),
        ("for tp in x: pass", True),
        ("x = tp.spike(1)", False),
        ("not python", False),
    ],
)
def test_whether_a_file_has_a_tp_of_its_own(tmp_path: Path, source: str, expected: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(source)
    assert OwnName(str(path)).exists is expected
    assert not OwnName(str(tmp_path / "none.py")).exists
