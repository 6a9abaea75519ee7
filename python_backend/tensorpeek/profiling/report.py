"""The record of a run as text: a few lines for the terminal, and all of it as Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.contract.quantities import bytes_text
from tensorpeek.profiling.places import short, where
from tensorpeek.profiling.quantities import duration, percent, rate
from tensorpeek.profiling.shares import has_trained, line_share, step_seconds
from tensorpeek.profiling.verdict import verdict

MOST_ROWS = 15
STATES = {
    "running": " It was still running, or was killed, when this was written.",
    "failed": " It failed with an exception.",
    "ended": "",
}


def summary(profile: Profile, folder: Path | None) -> str:
    """For the end of a run on a terminal."""
    lines = [f"tensorpeek: {verdict(profile)}"]
    if has_trained(profile):
        parts = [
            f"{phase['name']} {percent(phase['share'])}"
            for phase in profile["phases"]
            if phase["share"] >= 0.005
        ]
        lines.append(
            f"  {', '.join(parts)}  ({profile['steps']} steps, start-up {duration(profile['startUp'])})"
        )
    lines += [
        f"  {where(line['path'], line['line'])}  {percent(line_share(profile, line))}  {line['text']}"
        for line in profile["lines"][:3]
        if line["self"] > 0
    ]
    for advice in profile["advice"]:
        place = f"{where(advice['path'], advice['line'])}  " if advice["path"] else ""
        lines.append(f"  → {advice['title']}{_gain(advice)}: {place}{advice['message']}")
    lines += [f"  {problem}" for problem in profile["problems"]]
    if folder is not None:
        lines.append(f"  {short(str(folder))}  (python -m tensorpeek report {folder.name})")
    return "\n".join(lines)


def markdown(profile: Profile) -> str:
    """The whole report, the verdict first."""
    parts = [
        f"# {profile['program']}\n\n**{verdict(profile)}**",
        _run(profile),
        _advice(profile),
        _phases(profile),
        _outliers(profile),
        _lines(profile),
        _loaders(profile),
        _modules(profile),
        _ops(profile),
        _syncs(profile),
        _memory(profile),
    ]
    return "\n\n".join(part for part in parts if part)


def _run(profile: Profile) -> str:
    steps = f"{profile['steps']} step{'' if profile['steps'] == 1 else 's'}"
    threads = f", {profile['threads']} threads" if profile["threads"] > 1 else ""
    text = (
        f"{profile['time']}, {profile['device']}{threads}, Python {profile['python']}, "
        f"torch {profile['torch'] or '–'}: {steps} in {duration(profile['seconds'])}, of which "
        f"{duration(profile['startUp'])} until the first step had ended.{STATES[profile['state']]}"
    )
    return "\n\n".join([text, *profile["problems"]])


def _advice(profile: Profile) -> str:
    texts: list[str] = []
    for advice in profile["advice"]:
        place = f" `{where(advice['path'], advice['line'])}`" if advice["path"] else ""
        lines = [f"### {advice['title']}{_gain(advice)}", "", f"{advice['message']}{place}", ""]
        lines += [f"- {each}" for each in advice["evidence"]]
        lines += [f"- `{where(each['path'], each['line'])}` {each['message']}" for each in advice["related"]]
        lines += [f"- → {each}" for each in advice["next"]]
        texts.append("\n".join(lines))
    return "\n\n".join(["## What would help", *texts]) if texts else ""


def _gain(advice: ProfileAdvice) -> str:
    return f" (up to {percent(advice['gain'])} of a step)" if advice["gain"] else ""


def _phases(profile: Profile) -> str:
    if not has_trained(profile):
        return ""
    rows = [
        [
            phase["name"],
            percent(phase["share"]),
            duration(phase["seconds"] / profile["measuredSteps"]),
            duration(phase["median"]),
        ]
        for phase in profile["phases"]
    ]
    head = f"## A step: {duration(step_seconds(profile))}"
    return head + "\n\n" + _table(["phase", "share", "mean", "median"], rows)


def _outliers(profile: Profile) -> str:
    rows = [
        [str(step["step"]), duration(step["seconds"]), f"{step['phase']} {duration(step['phaseSeconds'])}"]
        for step in profile["outliers"][:MOST_ROWS]
    ]
    return "## Steps that took far longer\n\n" + _table(["step", "time", "by"], rows) if rows else ""


def _lines(profile: Profile) -> str:
    clock = {"wall": "wall time", "cpu": "processor time", "none": ""}[profile["sampling"]["clock"]]
    rows = [
        [
            f"`{where(line['path'], line['line'])}`",
            percent(line_share(profile, line)),
            duration(line["self"]),
            duration(line["total"]),
            percent(line["native"] / line["self"]) if line["self"] else "–",
            _code(line["text"]),
        ]
        for line in profile["lines"][:MOST_ROWS]
        if line["self"] > 0
    ]
    head = ["line", "share", "self", "total", "native", ""]
    return f"## Lines ({clock}, sampled)\n\n" + _table(head, rows) if rows else ""


def _loaders(profile: Profile) -> str:
    rows = [
        [
            f"`{where(loader['path'], loader['line'])}`",
            loader["dataset"],
            str(loader["workers"]),
            str(loader["batches"]),
            duration(loader["wait"] / max(1, loader["batches"])),
            duration(loader["longest"]),
            duration(loader["firstWait"] / max(1, loader["passes"])),
        ]
        for loader in profile["loaders"][:MOST_ROWS]
    ]
    head = ["loader", "data set", "workers", "batches", "wait for one", "longest", "first of a pass"]
    return "## Data\n\n" + _table(head, rows) if rows else ""


def _modules(profile: Profile) -> str:
    ordered = sorted(profile["modules"], key=lambda module: -module["forwardSelf"] - module["backwardSelf"])
    rows = [
        [
            f"`{module['path'] or '(model)'}`",
            module["type"],
            duration(module["forward"]),
            duration(module["forwardSelf"]),
            duration(module["backward"]) if profile["window"] else "–",
            str(module["calls"]),
        ]
        for module in ordered[:MOST_ROWS]
    ]
    head = ["module", "", "forward", "itself", "backward", "calls"]
    return "## Modules, in a step\n\n" + _table(head, rows) if rows else ""


def _ops(profile: Profile) -> str:
    total = sum(op["self"] for op in profile["ops"])
    rows = [
        [
            op["name"],
            op["shapes"],
            op["phase"],
            percent(op["self"] / total) if total else "–",
            duration(op["self"]),
            f"{op['calls']:g}",
            rate(op["flops"] / op["self"]) if op["flops"] and op["self"] else "–",
        ]
        for op in profile["ops"][:MOST_ROWS]
    ]
    if not rows:
        return ""
    first, last = profile["window"]
    peak = (
        f"; a large multiplication of matrices: {rate(profile['peakFlops'])}" if profile["peakFlops"] else ""
    )
    head = ["operation", "shapes", "in", "share", "itself", "calls", "rate"]
    return f"## Operations, in a step (steps {first} to {last}{peak})\n\n" + _table(head, rows)


def _syncs(profile: Profile) -> str:
    rows = [
        [
            f"`{where(sync['path'], sync['line'])}`",
            sync["kind"],
            f"{sync['calls']:g}",
            duration(sync["seconds"]),
            "yes" if sync["isDevice"] else "no",
            _code(sync["text"]),
        ]
        for sync in profile["syncs"][:MOST_ROWS]
    ]
    head = ["line", "", "calls in a step", "time in a step", "waits for a device", ""]
    return "## Values that come to Python\n\n" + _table(head, rows) if rows else ""


def _memory(profile: Profile) -> str:
    memory = profile["memory"]
    lines = [f"## Memory\n\nPeak of the process: {bytes_text(memory['peakResident'])}."]
    if memory["peakDevice"]:
        lines.append(f"Peak of torch on the device: {bytes_text(memory['peakDevice'])}.")
    if memory["growth"]:
        lines.append(f"It grows by {bytes_text(memory['growth'])} in each step.")
    return " ".join(lines)


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _code(text: str) -> str:
    return f"`{text.replace('`', ' ')}`" if text else ""
