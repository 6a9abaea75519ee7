"""One sentence: what most of a step goes to, and at which line."""

from __future__ import annotations

from tensorpeek.contract.messages import Profile
from tensorpeek.profiling.places import where
from tensorpeek.profiling.quantities import duration, percent
from tensorpeek.profiling.shares import has_trained, line_share, main_loader, step_seconds

WORDS = {
    "data": "waits for data",
    "transfer": "moves tensors between devices",
    "forward": "is the forward pass",
    "backward": "is the backward pass",
    "optimizer": "is the optimizer's step",
    "other": "is other code of the loop",
}


def verdict(profile: Profile) -> str:
    if not has_trained(profile):
        return _of_lines(profile)
    phase = max(profile["phases"], key=lambda phase: phase["share"])
    sentence = (
        f"{percent(phase['share'])} of a step of {duration(step_seconds(profile))} {WORDS[phase['name']]}"
    )
    place = _place(profile, phase["name"])
    return f"{sentence}{place}."


def _place(profile: Profile, phase: str) -> str:
    if phase == "data":
        loader = main_loader(profile)
        return f": DataLoader at {where(loader['path'], loader['line'])}" if loader is not None else ""
    line = profile["lines"][0] if profile["lines"] else None
    if line is None or line_share(profile, line) < 0.1:
        return ""
    return (
        f"; the hottest line is {where(line['path'], line['line'])} with {percent(line_share(profile, line))}"
    )


def _of_lines(profile: Profile) -> str:
    steps = "Nothing was trained" if not profile["steps"] else "Only one step was trained"
    line = profile["lines"][0] if profile["lines"] else None
    if line is None:
        return f"{steps}, and the program was too short for samples of its lines."
    share = percent(line_share(profile, line))
    return f"{steps}. The hottest line is {where(line['path'], line['line'])} with {share} of the time."
