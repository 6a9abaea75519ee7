"""`profile.json` is written whole, and what is not one is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorpeek.contract.messages import Profile
from tensorpeek.runs import profile_file

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "Profile.json"


def golden() -> Any:
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    profile: Profile = golden()
    assert profile_file.write(tmp_path, profile).name == "profile.json"
    assert profile_file.read(tmp_path) == profile
    assert [path.name for path in tmp_path.iterdir()] == ["profile.json"]


def test_a_disk_that_refuses_keeps_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "profile.json").mkdir()
    with pytest.raises(OSError):
        profile_file.write(tmp_path, golden())
    assert [path.name for path in tmp_path.iterdir()] == ["profile.json"]


def changed(**changes: Any) -> Any:
    return {**golden(), **changes}


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        changed(contractVersion=0),
        changed(steps="20"),
        changed(steps=True),
        changed(mode="other"),
        changed(phases=[{"name": "data"}]),
        changed(window=[1]),
        changed(lines=[{**golden()["lines"][0], "self": "1"}]),
        changed(stepTable={**golden()["stepTable"], "data": []}),
        changed(stepTable={**golden()["stepTable"], "perRow": 0}),
        changed(stacks={"frames": [], "parents": [0], "frame": [0], "seconds": [1.0]}),
        changed(stacks={**golden()["stacks"], "frames": []}),
        changed(memory={**golden()["memory"], "step": []}),
    ],
)
def test_what_is_no_profile_is_refused(content: Any, tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_text(json.dumps(content))
    assert profile_file.read(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"seconds": NaN}', "\x00"])
def test_what_is_damaged_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_text(text)
    assert profile_file.read(tmp_path) is None


def test_a_number_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    text = json.dumps(golden()).replace('"startUp": ', '"startUp": 1e999, "was": ', 1)
    (tmp_path / "profile.json").write_text(text)
    assert profile_file.read(tmp_path) is None


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "profile.json").open("wb") as file:
        file.truncate(profile_file.LARGEST + 1)
    assert profile_file.read(tmp_path) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, GOLDEN.stat().st_size - 3))
def test_a_file_that_is_cut_short_is_refused(length: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "profile.json").write_bytes(GOLDEN.read_bytes()[:length])
        assert profile_file.read(Path(folder)) is None


def test_the_newest_run_with_a_profile_is_found(tmp_path: Path) -> None:
    for name in ("20261201-000000-a", "20261201-000001-b", "20261201-000002-c", "other"):
        (tmp_path / name).mkdir()
    for name in ("20261201-000000-a", "20261201-000001-b", "other"):
        (tmp_path / name / "profile.json").write_text("{}")
    assert profile_file.newest(tmp_path) == tmp_path / "20261201-000001-b"
    assert profile_file.newest(tmp_path / "absent") is None
