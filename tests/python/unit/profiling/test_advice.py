"""Each rule speaks on a record of its kind, and is silent on one where it would gain nothing."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tensorpeek.contract.messages import Profile
from tensorpeek.profiling.advice.registry import advise
from tensorpeek.profiling.report import markdown, summary
from tensorpeek.profiling.verdict import verdict

GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "Profile.json"


def record() -> Any:
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def quiet() -> Any:
    """A training of which there is nothing to say."""
    profile = record()
    profile |= {"loaders": [], "syncs": [], "facts": [], "steps": 100, "measuredSteps": 90}
    profile["measuredSeconds"] = 9.0
    profile["memory"]["growth"] = 0
    return profile


def rules(profile: Profile) -> list[str]:
    return [advice["rule"] for advice in advise(profile)]


LINE = {"path": "/project/train.py", "line": 7, "function": "f", "text": "", "native": 0.0, "startUp": 0.0}
FACT = {"path": "/project/train.py", "line": 7, "text": "", "words": ""}
SYNC = {"path": "/project/train.py", "line": 7, "text": "", "kind": "item"}


def with_fact(kind: str, count: float, share: float = 0.5) -> Any:
    profile = quiet()
    profile["facts"] = [{**FACT, "kind": kind, "count": count}]
    seconds = profile["sampling"]["seconds"]
    profile["lines"] = [{**LINE, "self": share * seconds, "total": share * seconds}]
    return profile


def with_sync(calls: float, seconds: float, is_device: bool) -> Any:
    return {**quiet(), "syncs": [{**SYNC, "calls": calls, "seconds": seconds, "isDevice": is_device}]}


def with_loader(**changes: Any) -> Any:
    profile = record()
    profile["facts"] = []
    profile["loaders"] = [{**profile["loaders"][0], **changes}]
    return profile


RESPAWNED = {
    "workers": 2,
    "persistent": False,
    "passes": 3,
    "batches": 12,
    "wait": 0.62,
    "firstWait": 0.6,
    "passSeconds": 0.9,
}


def test_a_quiet_training_has_no_advice() -> None:
    assert rules(quiet()) == []


@pytest.mark.parametrize(
    ("profile", "rule"),
    [
        (with_loader(), "data-bound"),
        (with_loader(**RESPAWNED), "workers-respawned"),
        (with_fact("anomaly-mode", 90), "anomaly-mode"),
        (with_fact("list-of-arrays", 1), "list-of-arrays"),
        (with_fact("hidden-sync", 40), "host-syncs"),
        (with_fact("many-calls", 5000), "many-calls"),
        (with_sync(64, 0.01, False), "host-syncs"),
        (with_sync(1, 0.03, True), "host-syncs"),
        ({**quiet(), "memory": {**quiet()["memory"], "growth": 2**21}}, "memory-growth"),
    ],
)
def test_a_rule_speaks(profile: Any, rule: str) -> None:
    (advice,) = advise(profile)
    assert advice["rule"] == rule
    assert advice["next"]
    assert 0 <= advice["gain"] <= 1


@pytest.mark.parametrize(
    "profile",
    [
        with_loader(wait=0.02),
        with_loader(wait=0.25),
        with_loader(batches=2),
        with_loader(**{**RESPAWNED, "persistent": True}),
        with_loader(**{**RESPAWNED, "passes": 1}),
        with_loader(**{**RESPAWNED, "firstWait": 0.03, "wait": 0.05}),
        with_fact("anomaly-mode", 10),
        with_fact("list-of-arrays", 1, share=0.01),
        with_fact("hidden-sync", 1),
        with_fact("many-calls", 5000, share=0.1),
        with_fact("many-calls", 150, share=1.0),
        with_sync(1, 0.03, False),
        with_sync(1, 0.0001, True),
        {**quiet(), "memory": {**quiet()["memory"], "growth": 1000}},
    ],
)
def test_it_is_silent_in_doubt(profile: Any) -> None:
    assert rules(profile) == []


def test_the_verdict_names_what_most_of_a_step_goes_to() -> None:
    assert "waits for data: DataLoader at" in verdict(record())
    profile = record()
    profile["phases"] = [
        {**phase, "share": 0.9 if phase["name"] == "backward" else 0.0} for phase in profile["phases"]
    ]
    assert verdict(profile).startswith("90 % of a step of ")
    assert "is the backward pass" in verdict(profile)


def test_a_record_of_nothing_is_still_said() -> None:
    profile = record()
    for name in (
        "phases",
        "lines",
        "loaders",
        "modules",
        "ops",
        "syncs",
        "facts",
        "outliers",
        "advice",
        "window",
    ):
        profile[name] = []
    profile |= {"steps": 0, "measuredSteps": 0, "measuredSeconds": 0.0}
    assert verdict(profile).startswith("Nothing was trained")
    assert "Nothing was trained" in summary(profile, None)
    assert markdown(profile).splitlines()[0].startswith("# ")


def test_a_report_changes_nothing_of_the_record() -> None:
    profile = record()
    before = copy.deepcopy(profile)
    markdown(profile), summary(profile, Path("x")), advise(profile)
    assert profile == before
