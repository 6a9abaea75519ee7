"""A tensor is made of a list of NumPy arrays, number by number."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.profiling.quantities import percent
from tensorpeek.profiling.shares import has_trained, total_share

LEAST_SHARE = 0.05
FASTER = 10
"""Times, at the least, by a stack of the arrays."""


class ListOfArrays:
    name = "list-of-arrays"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        for fact in profile["facts"]:
            share = total_share(profile, fact["path"], fact["line"])
            if fact["kind"] != "list-of-arrays" or share < LEAST_SHARE:
                continue
            yield {
                "rule": self.name,
                "title": "A tensor is made of a list of arrays, number by number",
                "message": f"{percent(share)} of the time goes to this line; torch itself has warned of it.",
                "path": fact["path"],
                "line": fact["line"],
                "evidence": [fact["text"]],
                "next": ["torch.from_numpy(numpy.stack(arrays)) is over ten times as fast."],
                "gain": round(share * (1 - 1 / FASTER), 3) if has_trained(profile) else 0.0,
                "related": [],
            }
