"""Training by the loops of Lightning, Hugging Face and Accelerate: seen as any other, and left as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import python

from harness import DEBUGGEES

FOLDER = DEBUGGEES / "frameworks"


def told_by(program: str, cwd: Path) -> dict[str, Any]:
    ended = python(str(FOLDER / program), cwd=cwd, patience=280)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.partition("told: ")[2])


def line(program: str, mark: str) -> int:
    lines = (FOLDER / program).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if f"@bp:{mark}" in text)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("program", "op", "step", "steps"),
    [
        ("with_lightning.py", "sqrt", 45, 64),
        ("with_transformers.py", "log", 35, 40),
        ("with_accelerate.py", "sqrt", 45, 56),
    ],
)
def test_the_loop_of_a_framework(program: str, op: str, step: int, steps: int, tmp_path: Path) -> None:
    told = told_by(program, tmp_path)
    assert told["problems"] == []
    assert told["blind"] == []
    bare, watched = told["bare"], told["watched"]
    assert watched["findings"] == []
    assert (watched["losses"], watched["weights"]) == (bare["losses"], bare["weights"])
    assert watched["steps"] == steps, "an evaluation is no step"

    first = told["nan"]["findings"][0]
    assert (first["condition"], first["step"], first["line"]) == ("nan-loss", step, line(program, op))
    assert Path(first["path"]).samefile(FOLDER / program)
    assert f"first NaN: `{op}`" in first["message"]

    spike = told["spike"]["findings"][0]
    assert (spike["condition"], spike["step"]) == ("loss-spike", step)
    assert Path(spike["path"]).samefile(FOLDER / program)


WITH_FAULT = {"lbfgs", "gan", "raising_hook", "global_hooks", "forked", "compiled"}
STEPS = {"gradients_only": 0, "functorch": 0, "replaced": 150}
"""Where it is not the 50 of the others."""


@pytest.mark.timeout(300)
def test_loops_that_are_not_the_usual_one(tmp_path: Path) -> None:
    every = told_by("loops.py", tmp_path)
    assert len(every) == 10
    for name, told in every.items():
        bare, watched = told["bare"], told["watched"]
        assert (name, watched["findings"], told["problems"]) == (name, [], [])
        assert (watched["losses"], watched["weights"]) == (bare["losses"], bare["weights"]), name
        assert watched["steps"] == STEPS.get(name, 50), name
        findings = told["nan"]["findings"]
        if name in WITH_FAULT:
            assert findings[0]["condition"] == "nan-loss", name
            assert findings[0]["line"] == line("loops.py", "sqrt"), name
            # The discriminator has taken its step when the generator's loss comes.
            assert findings[0]["step"] == (46 if name == "gan" else 45), name
            assert "first NaN: `sqrt`" in findings[0]["message"], name
        else:
            assert findings == [], name
    assert "Inside of torch.compile" in every["compiled"]["blind"][0]
    assert [told["blind"] for name, told in every.items() if name != "compiled"] == [[]] * 9
