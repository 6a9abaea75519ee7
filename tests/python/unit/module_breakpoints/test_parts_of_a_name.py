"""What may stand after `module:` in a function breakpoint."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorpeek.adapter.module_breakpoints import is_ours, parse


def parsed(name: str, **more: str) -> Any:
    return parse({"name": name, **more})


@pytest.mark.parametrize(
    ("name", "phase", "condition"),
    [
        ("module:encoder.layers.*", "forward", ""),
        ("  module: head backward", "backward", ""),
        ("module:head [backward]", "backward", ""),
        ("module:head[output.max() > 3]", "forward", "output.max() > 3"),
        ("module:head backward [tp.norm(gradient) > 3]", "backward", "tp.norm(gradient) > 3"),
    ],
)
def test_phase_and_condition(name: str, phase: str, condition: str) -> None:
    assert is_ours({"name": name})
    found = parsed(name)
    assert (found["phase"], found["condition"]) == (phase, condition)


def test_both_conditions_hold_together() -> None:
    assert parsed("module:a [x or y]", condition="z")["condition"] == "(z) and (x or y)"


@pytest.mark.parametrize(
    "more", [{"condition": "output >"}, {"hitCondition": "5 times"}, {"condition": "a = 1"}]
)
def test_what_can_not_be_compiled_is_refused(more: dict[str, str]) -> None:
    assert isinstance(parsed("module:head", **more), str)


@given(st.text(max_size=30))
def test_anything_is_parsed_or_refused(text: str) -> None:
    found = parsed(f"module:{text}")
    assert isinstance(found, str) or found["pattern"]
