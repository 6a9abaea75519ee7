"""The workers of a DataLoader are started anew for each pass over the data, which takes much of the pass."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.profiling.quantities import duration, percent

LEAST_PASSES = 2
LEAST_SHARE = 0.15
LEAST_SECONDS = 0.01
"""Of a pass."""


class WorkersRespawned:
    name = "workers-respawned"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        for loader in profile["loaders"]:
            passes = loader["passes"]
            if not loader["workers"] or loader["persistent"] or passes < LEAST_PASSES:
                continue
            first = loader["firstWait"] / passes
            batches = max(1, loader["batches"] - passes)
            usual = max(0.0, loader["wait"] - loader["firstWait"]) / batches
            lost = first - usual
            whole = loader["passSeconds"] / passes
            if lost < LEAST_SECONDS or lost < LEAST_SHARE * whole:
                continue
            yield {
                "rule": self.name,
                "title": "Workers are started anew for each epoch",
                "message": f"Each of {passes} passes starts {loader['workers']} worker processes: the first "
                f"batch comes after {duration(first)}, {percent(first / whole)} of {duration(whole)} each.",
                "path": loader["path"],
                "line": loader["line"],
                "evidence": [f"a later batch comes after {duration(usual)}"],
                "next": ["DataLoader(…, persistent_workers=True) keeps them from one epoch to the next."],
                "gain": round(min(1.0, lost * (passes - 1) / passes / whole), 3),
                "related": [
                    {
                        "path": loader["madePath"],
                        "line": loader["madeLine"],
                        "message": "The loader is made here.",
                    }
                ]
                if loader["madePath"]
                else [],
            }
