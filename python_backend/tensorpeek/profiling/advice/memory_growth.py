"""The process holds more memory with each step."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.contract.quantities import bytes_text

LEAST_BYTES = 32 * 2**20
"""In all steps together."""
LEAST_SHARE = 0.1
"""Of the peak."""


class MemoryGrowth:
    name = "memory-growth"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        memory = profile["memory"]
        grown = memory["growth"] * profile["steps"]
        peak = memory["peakDevice"] or memory["peakResident"]
        if grown < LEAST_BYTES or grown < LEAST_SHARE * peak:
            return
        yield {
            "rule": self.name,
            "title": "Memory grows with each step",
            "message": f"{bytes_text(memory['growth'])} in each step, steadily to the last one.",
            "path": "",
            "line": 0,
            "evidence": [f"peak {bytes_text(peak)} after {profile['steps']} steps"],
            "next": [
                "Look for what is kept over the steps: lists of losses or outputs (.item() or .detach() "
                "lets them go), caches of a data set, hooks that are added anew."
            ],
            "gain": 0.0,
            "related": [],
        }
