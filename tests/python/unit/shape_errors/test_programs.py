"""Operations whose shapes do not fit are explained at their line; programs that are right are left alone."""

from __future__ import annotations

import pytest
from unit.shape_errors import layer_programs, rare_programs, tensor_programs
from unit.shape_errors.explaining import failing_line, findings_of, text_of
from unit.shape_errors.programs import Program

from tensorpeek.probe.shape_errors import failing

ALL = [*layer_programs.says.all, *tensor_programs.says.all, *rare_programs.says.all]
NAMES = [program.__name__ for program, _ in ALL]


@pytest.mark.parametrize(("program", "words"), ALL, ids=NAMES)
def test_an_error_is_explained(program: Program, words: tuple[str, ...]) -> None:
    (finding,) = findings_of(lambda: program(True), "shape")
    assert finding["line"] in failing_line(program)
    assert [word for word in words if word not in text_of(finding)] == []
    assert len(finding["title"]) <= 31


@pytest.mark.parametrize(("program", "words"), ALL, ids=NAMES)
def test_without_positions_it_is_explained_too(
    program: Program, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under Python 3.10, which knows the line only."""
    monkeypatch.setattr(failing, "_span", lambda traceback: None)
    (finding,) = findings_of(lambda: program(True), "shape")
    assert finding["line"] in failing_line(program)
    assert [word for word in words if word not in text_of(finding)] == []


@pytest.mark.parametrize("program", [program for program, _ in ALL], ids=NAMES)
def test_nothing_is_said_where_shapes_fit(program: Program) -> None:
    assert findings_of(lambda: program(False), "shape") == []


def test_no_other_condition_says_it_again() -> None:
    for program in (layer_programs.never_flattened, tensor_programs.loss_of_several_numbers):
        (finding,) = findings_of(lambda program=program: program(True), "recommended")
        assert finding["condition"] == "shape-error"
