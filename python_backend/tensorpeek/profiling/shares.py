"""Figures of a record that several readers ask for."""

from __future__ import annotations

from tensorpeek.contract.messages import Profile, ProfiledLine, ProfiledLoader


def has_trained(profile: Profile) -> bool:
    """Whether there are steps behind the first one to speak of."""
    return profile["measuredSteps"] > 0 and profile["measuredSeconds"] > 0


def step_seconds(profile: Profile) -> float:
    """Of a measured step; 0 where there is none."""
    return profile["measuredSeconds"] / profile["measuredSteps"] if profile["measuredSteps"] else 0.0


def phase_share(profile: Profile, name: str) -> float:
    return next((phase["share"] for phase in profile["phases"] if phase["name"] == name), 0.0)


def main_loader(profile: Profile) -> ProfiledLoader | None:
    """The one that the program waited for longest."""
    return max(profile["loaders"], key=lambda loader: loader["wait"], default=None)


def line_share(profile: Profile, line: ProfiledLine) -> float:
    """Of its own time in that of all samples."""
    seconds = profile["sampling"]["seconds"]
    return line["self"] / seconds if seconds else 0.0


def lines_below(profile: Profile, path: str, line: int) -> dict[tuple[str, int], float]:
    """The seconds of the user's lines that a line has called, by path and line, each its own."""
    stacks = profile["stacks"]
    found: dict[tuple[str, int], float] = {}
    owner: list[int] = []
    """Of each node: the frame of the user's innermost line below the one asked for, -1 for none."""
    for parent, number in zip(stacks["parents"], stacks["frame"]):
        frame = stacks["frames"][number]
        above = owner[parent] if parent >= 0 else -1
        is_it = frame["isUsers"] and frame["path"] == path and frame["line"] == line
        is_below = above >= 0 or is_it
        owner.append(number if is_below and (frame["isUsers"] or above < 0) else above)
    for number, seconds in zip(owner, stacks["seconds"]):
        if number >= 0:
            frame = stacks["frames"][number]
            key = frame["path"], frame["line"]
            if key != (path, line):
                found[key] = found.get(key, 0.0) + seconds
    return found


def total_share(profile: Profile, path: str, line: int) -> float:
    """Of a line and what it calls, in the time of all samples."""
    seconds = profile["sampling"]["seconds"]
    total = sum(row["total"] for row in profile["lines"] if (row["path"], row["line"]) == (path, line))
    return min(1.0, total / seconds) if seconds else 0.0
