"""A loop of Python starts one small operation after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.profiling.quantities import duration, percent
from tensorpeek.profiling.shares import has_trained, step_seconds, total_share

LEAST_CALLS = 150
"""In a step."""
LEAST_SHARE = 0.15
"""Of the line itself: its backward pass costs more, at another line."""
LONGEST_CALL_S = 50e-6
"""An operation that takes longer is not small."""


class ManyCalls:
    name = "many-calls"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        told = {(sync["path"], sync["line"]) for sync in profile["syncs"] if sync["calls"] >= 1}
        for fact in profile["facts"]:
            place = fact["path"], fact["line"]
            if fact["kind"] != "many-calls" or fact["count"] < LEAST_CALLS or place in told:
                continue
            share = total_share(profile, *place)
            each = share * step_seconds(profile) / fact["count"]
            if not has_trained(profile) or share < LEAST_SHARE or each > LONGEST_CALL_S:
                continue
            yield {
                "rule": self.name,
                "title": "A loop starts many small operations",
                "message": f"{fact['count']:.0f} operations in a step, {duration(each)} each, are "
                f"{percent(share)} of the time: most of it is Python and the way into torch.",
                "path": fact["path"],
                "line": fact["line"],
                "evidence": [fact["text"]],
                "next": ["One operation on a whole tensor in the place of the loop, or torch.compile."],
                "gain": round(0.8 * share, 3),
                "related": [],
            }
