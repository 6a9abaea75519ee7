"""`messages.py` and `messages.ts` are what the schema says."""

import json
from pathlib import Path
from typing import get_args

import pytest

from tensorpeek.adapter.part_list import PARTS
from tensorpeek.contract import generate, messages
from tensorpeek.server.language_server import language_server


def test_the_generated_files_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_the_check_fails_when_the_schema_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.loads(generate.SCHEMA_FILE.read_text(encoding="utf-8"))
    schema["definitions"]["Mode"]["enum"].append("asleep")
    changed = tmp_path / "wire.schema.json"
    changed.write_text(json.dumps(schema), encoding="utf-8")
    monkeypatch.setattr(generate, "SCHEMA_FILE", changed)
    assert generate.main(["--check"]) == 1
    said = capsys.readouterr().out
    assert "messages.py" in said
    assert "messages.ts" in said


def test_the_version_in_the_code_is_the_schemas() -> None:
    schema = json.loads(generate.SCHEMA_FILE.read_text(encoding="utf-8"))
    assert schema["version"] == messages.CONTRACT_VERSION


def test_every_request_of_our_own_has_its_handler_and_no_other_is_handled() -> None:
    ours = {name for part in PARTS for name in vars(part) if name.startswith("tensorpeek_")}
    assert ours == {f"{name.replace('/', '_')}_request" for name in get_args(messages.DebugRequest)}
    features = language_server().protocol.fm.features
    registered = {name for name in features if name.startswith("tensorpeek/")}
    assert registered == set(get_args(messages.ServerRequest))
