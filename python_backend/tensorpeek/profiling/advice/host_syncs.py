"""Values are brought to Python again and again in each step."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice, ProfiledSync
from tensorpeek.profiling.quantities import duration, percent
from tensorpeek.profiling.shares import step_seconds

MANY = 5
"""Calls of a line in a step: one for a loss that is printed is nobody's fault."""
LEAST_SHARE = 0.03
LEAST_WAIT_SHARE = 0.05
"""On a device, where one call is enough to wait long."""
HIDDEN_MANY = 5


class HostSyncs:
    name = "host-syncs"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        step = step_seconds(profile)
        for sync in profile["syncs"]:
            share = min(1.0, sync["seconds"] / step) if step else 0.0
            is_slow = sync["isDevice"] and sync["calls"] > 0.5 and share >= LEAST_WAIT_SHARE
            if is_slow or (sync["calls"] >= MANY and (sync["isDevice"] or share >= LEAST_SHARE)):
                yield self._advice(sync, share)
        for fact in profile["facts"]:
            if fact["kind"] == "hidden-sync" and fact["count"] >= HIDDEN_MANY:
                yield {
                    "rule": self.name,
                    "title": "A tensor is given where torch wants a number",
                    "message": f"`{fact['words']}` brings the value of the tensor to Python, "
                    f"{fact['count']:.0f} times in a step: on a GPU each waits for all work before it.",
                    "path": fact["path"],
                    "line": fact["line"],
                    "evidence": [fact["text"]],
                    "next": ["Multiply by the tensor instead, so that its value stays where it is."],
                    "gain": 0.0,
                    "related": [],
                }

    def _advice(self, sync: ProfiledSync, share: float) -> ProfileAdvice:
        waits = "waits for the device" if sync["isDevice"] else "makes a number of Python of it"
        return {
            "rule": self.name,
            "title": "Values are brought to Python in each step",
            "message": f"`{sync['kind']}` is called {sync['calls']:.0f} times in a step and {waits}: "
            f"{duration(sync['seconds'])}, {percent(share)} of a step.",
            "path": sync["path"],
            "line": sync["line"],
            "evidence": [sync["text"]],
            "next": [
                "Add up or compare as tensors, and bring one value to Python now and then, as every 50 steps."
            ],
            "gain": round(share, 3),
            "related": [],
        }
