"""Most of a step is a wait for its batch."""

from __future__ import annotations

from collections.abc import Iterator

from tensorpeek.contract.messages import Profile, ProfileAdvice, ProfiledLoader, RelatedLine
from tensorpeek.profiling.places import short
from tensorpeek.profiling.quantities import duration, percent
from tensorpeek.profiling.shares import lines_below, main_loader, phase_share

LEAST_SHARE = 0.3
LEAST_WAIT_S = 0.004
"""For a batch. To bring one from a worker takes about a millisecond, so shorter waits stay as they are."""
LEAST_TOTAL_S = 0.3
"""For all batches together: who waits less is not helped by workers, which take as long to start."""
LEAST_BATCHES = 3
MOST_LINES = 3


class DataBound:
    name = "data-bound"

    def look(self, profile: Profile) -> Iterator[ProfileAdvice]:
        share, loader = phase_share(profile, "data"), main_loader(profile)
        if loader is None or loader["batches"] < LEAST_BATCHES or share < LEAST_SHARE:
            return
        # What passes until the workers have started is another matter.
        usual = (loader["wait"] - min(loader["wait"], loader["firstWait"])) / max(
            1, loader["batches"] - loader["passes"]
        )
        wait = usual if loader["workers"] else loader["wait"] / loader["batches"]
        if wait < LEAST_WAIT_S or wait * loader["batches"] < LEAST_TOTAL_S:
            return
        yield {
            "rule": self.name,
            "title": "The steps wait for their data",
            "message": f"{percent(share)} of a step is a wait for the next batch of `{loader['dataset']}`, "
            f"{duration(wait)} for each of {loader['batches']}.",
            "path": loader["path"],
            "line": loader["line"],
            "evidence": [_workers(loader)],
            "next": _next(loader),
            "gain": round(share * (1 if not loader["workers"] else 0.5), 3),
            "related": _related(profile, loader),
        }


def _workers(loader: ProfiledLoader) -> str:
    size = f", batches of {loader['batchSize']}" if loader["batchSize"] else ""
    if not loader["workers"]:
        each = loader["wait"] / loader["batches"] / max(1, loader["batchSize"])
        return f"num_workers=0{size}: the program itself makes each row, {duration(each)} for one"
    return f"num_workers={loader['workers']}{size}: the workers make them more slowly than they are used"


def _next(loader: ProfiledLoader) -> list[str]:
    if not loader["workers"]:
        return [
            "Set num_workers, as many as there are idle cores, and persistent_workers=True with it.",
            "Make the rows cheaper: do once, before the training, what is the same in each epoch.",
        ]
    return [
        "Make the rows cheaper: do once, before the training, what is the same in each epoch.",
        "Set more num_workers if there are idle cores, or a larger prefetch_factor if rows differ in time.",
    ]


def _related(profile: Profile, loader: ProfiledLoader) -> list[RelatedLine]:
    """The lines that make the rows; the data set's method where none was sampled."""
    below = lines_below(profile, loader["path"], loader["line"])
    whole = sum(below.values())
    hottest = sorted(below.items(), key=lambda item: -item[1])[:MOST_LINES]
    found: list[RelatedLine] = [
        {"path": path, "line": line, "message": f"{percent(seconds / whole)} of the making of rows"}
        for (path, line), seconds in hottest
        if seconds > 0.1 * whole
    ]
    if not found and loader["datasetPath"]:
        name = short(loader["datasetPath"])
        found.append(
            {
                "path": loader["datasetPath"],
                "line": loader["datasetLine"],
                "message": f"makes the rows, in {name}",
            }
        )
    return found
