"""The schema as a judge of messages, and the golden messages beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from tensorpeek.contract.generate import SCHEMA_FILE

GOLDEN = Path(__file__).parent / "golden"


def closed_schema() -> dict[str, Any]:
    """The schema, with objects that may have no other fields than it names."""
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    for definition in schema["definitions"].values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    return schema


SCHEMA = closed_schema()
DEFINITIONS: list[str] = list(SCHEMA["definitions"])


def problems(name: str, message: Any) -> list[str]:
    """What makes `message` none of the definition `name`, empty when it is one."""
    validator = Draft7Validator({**SCHEMA, "$ref": f"#/definitions/{name}"})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(message)]


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def write_golden(name: str, message: Any) -> None:
    text = json.dumps(message, indent=2, ensure_ascii=False, allow_nan=False)
    (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def shape(message: Any) -> Any:
    """What remains of a message when values are left out: the fields, and the types of what they hold."""
    if isinstance(message, dict):
        return {key: shape(value) for key, value in message.items()}
    if isinstance(message, list):
        return sorted({json.dumps(shape(item), sort_keys=True) for item in message})
    return "number" if isinstance(message, float) else type(message).__name__
