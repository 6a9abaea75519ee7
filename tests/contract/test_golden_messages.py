"""One real message for each definition of the schema, which both languages read.

`TENSORPEEK_UPDATE_GOLDEN=1 pytest tests/contract` writes them anew from real processes.
"""

import os
from typing import Any

import pytest

from recording import record_messages
from wire import DEFINITIONS, GOLDEN, golden, problems, shape, write_golden

MADE_BY_THE_EDITOR = {
    "InlineValuesArguments": {"frameId": 2, "path": "/home/ada/train.py", "startLine": 1, "endLine": 20},
    "SessionSettings": {"valueBudgetMs": 20, "answerBudgetMs": 60},
    "TensorsArguments": {"frameId": 2, "limit": 500, "budgetMs": 200},
    "EvaluatableExpressionParams": {
        "uri": "file:///home/ada/train.py",
        "line": 0,
        "character": 7,
        "endLine": 0,
        "endCharacter": 21,
    },
}


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    messages = record_messages() | MADE_BY_THE_EDITOR
    if os.environ.get("TENSORPEEK_UPDATE_GOLDEN"):
        for name, message in messages.items():
            write_golden(name, message)
    return messages


def test_every_definition_is_recorded(recorded: dict[str, Any]) -> None:
    assert set(recorded) == set(DEFINITIONS)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_real_message_is_as_the_schema_says(recorded: dict[str, Any], name: str) -> None:
    assert problems(name, recorded[name]) == []


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_golden_message_is_as_real_ones_are(recorded: dict[str, Any], name: str) -> None:
    assert problems(name, golden(name)) == []
    assert shape(golden(name)) == shape(recorded[name])


def test_there_are_no_other_golden_messages() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(DEFINITIONS)


ROW: dict[str, Any] = {"line": 1, "startColumn": 1, "endColumn": 2, "text": "x f32[2]"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Mode", "asleep"),
        ("Number", "NaN"),
        ("Number", None),
        ("InlineValue", {**ROW, "line": "1"}),
        ("InlineValue", {key: value for key, value in ROW.items() if key != "text"}),
        ("InlineValue", {**ROW, "tooltip": ""}),
        ("InlineValuesResult", {"values": [{**ROW, "line": 1.5}]}),
    ],
)
def test_the_schema_rejects_what_is_wrong(name: str, message: Any) -> None:
    assert problems(name, message) != []


def test_a_shape_tells_messages_apart() -> None:
    assert shape({"values": [ROW]}) == shape({"values": [{**ROW, "text": "y"}, ROW]})
    assert shape({"values": [ROW]}) != shape({"values": [{**ROW, "text": None}]})
    assert shape({"values": [ROW]}) != shape({"values": [{**ROW, "more": 1}]})
