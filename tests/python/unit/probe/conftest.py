"""The probe without a debugger around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tensorpeek.probe.answers import Answers
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.registry import kind_of
from tensorpeek.probe.presentation import Group
from tensorpeek.probe.reprs import Reprs


def ordinary_text(value: object, before_repr: Callable[[object], None]) -> str:
    before_repr(value)
    return repr(value)


@pytest.fixture
def answers() -> Iterator[Answers]:
    """Not configured, and with more time than any value needs: every line is whole at once."""
    answers = Answers(reprs=Reprs(make_text=ordinary_text))
    answers.value_budget_ms = 60_000
    yield answers
    answers.forget()


@pytest.fixture
def say(answers: Answers) -> Callable[[object], str]:
    """The text of a value's line; `ordinary` where it is left to pydevd."""

    def text(value: object) -> str:
        answers.changed()  # a test is code of the user's
        presentation = answers.first(value)
        return "ordinary" if presentation is None else presentation["text"]

    return text


@pytest.fixture
def children(answers: Answers) -> Callable[[object], dict[str, Child]]:
    """The rows under a value by name, without pydevd's own."""

    def rows(value: object) -> dict[str, Child]:
        found = value.make_children() if isinstance(value, Group) else kind_of(type(value)).children(value)
        assert found is not None
        assert len({row.name for row in found}) == len(found), "two rows with one name"
        return {row.name: row for row in found}

    return rows


@pytest.fixture
def reached() -> Callable[[Child, object], Any]:
    """What the expression of a row yields when the value itself is called `value`."""

    def evaluate(row: Child, value: object) -> Any:
        suffix = row.evaluate
        assert suffix is not None
        return eval(suffix("value") if callable(suffix) else f"value{suffix}", {"value": value})

    return evaluate
