"""Autograd's anomaly mode was left on."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice

LEAST_STEPS = 3
LEAST_SHARE = 0.5
"""Of the steps: who looks for a NaN in a few of them means to."""


class AnomalyMode:
    name = "anomaly-mode"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        for fact in profile["facts"]:
            if fact["kind"] != "anomaly-mode" or fact["count"] < LEAST_STEPS:
                continue
            if fact["count"] < LEAST_SHARE * profile["steps"]:
                continue
            yield {
                "rule": self.name,
                "title": "Autograd's anomaly mode is on",
                "message": "It keeps a stack for each operation and looks for NaN in each gradient: a step "
                "takes one and a half to three times as long.",
                "path": fact["path"],
                "line": fact["line"],
                "evidence": [f"on in {fact['count']:.0f} of {profile['steps']} steps"],
                "next": ["Switch it off; python -m tensorpeek run finds the operation of a NaN without it."],
                "gain": 0.3,
                "related": [],
            }
