"""Values that plain debugpy needs minutes for: how long Locals takes while one is in the frame."""

from __future__ import annotations

from paused import PLAIN, paused
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

from harness import DebugSession
from harness.client import Message

VALUES = {
    "tensor of shape [6] × 7": "seven_dimensions.py",
    "untyped_storage of 1e6 bytes": "untyped_storage.py",
    "list of 1e6 ints": "long_list.py",
    "object with a 3 s __repr__": "slow_repr.py",
}
SHOWN = 40
"""Characters of a value in the note."""
WITHIN = 1.0
"""Seconds until Locals is there."""
PATIENCE, QUICK_PATIENCE = 60.0, 8.0
"""Seconds until we stop waiting for plain debugpy."""


def run(quick: bool) -> Benchmark:
    patience = QUICK_PATIENCE if quick else PATIENCE
    rows = [_row(work, program, 3 if quick else 11, patience) for work, program in VALUES.items()]
    return Benchmark("Locals with a hostile value in the frame", rows)


def _row(work: str, program: str, rounds: int, patience: float) -> Row:
    say(work)
    with paused(PLAIN, program) as plain, paused(OURS, program) as ours:
        times: list[float] = []
        peers: list[float] = []
        capped = False
        for _ in range(rounds):
            seconds, value = _locals(ours, patience)
            times.append(seconds)
            if not capped and sum(peers) < patience:
                seconds, answer = _locals(plain, patience)
                peers.append(seconds)
                capped = answer is None
    assert value is not None
    samples = {OURS: Sample.of(times), PLAIN: Sample.of(peers, capped)}
    lazy = "lazy: " if value.get("presentationHint", {}).get("lazy") else ""
    return Row(work, samples, at_most=WITHIN, note=f"{lazy}`{shortened(value['value'])}`")


def _locals(session: DebugSession, patience: float) -> tuple[float, Message | None]:
    """Seconds for Locals after a step, and the value; None when patience ended first."""
    stop = session.next()
    scopes = session.request("scopes", frameId=stop.frame)["scopes"]
    reference = scopes[0]["variablesReference"]
    try:
        seconds, answer = session.client.timed("variables", patience, variablesReference=reference)
    except TimeoutError:
        return patience, None
    return seconds, next(v for v in answer["body"]["variables"] if v["name"] == "value")


def shortened(text: str) -> str:
    """The beginning, as much as the side bar shows."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
