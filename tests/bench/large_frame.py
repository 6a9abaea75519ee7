"""The first answer for a frame with 200 tensors of 1e8 elements in all."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict

from paused import NO_DELAY, PEERS, PLAIN, paused
from report import OURS, Benchmark, Row
from timing import Sample

from harness import DebugSession
from harness.client import Message

TENSORS = 200
BUDGET = 0.060
"""Seconds that reading elements may take in one answer, by default."""


def run(quick: bool) -> Benchmark:
    taken: dict[str, list[float]] = defaultdict(list)
    exact: list[int] = []
    with contextlib.ExitStack() as stack:
        sessions = {peer: stack.enter_context(paused(peer, "two_hundred_tensors.py")) for peer in PEERS}
        for turn in range(5 if quick else 25):
            first = turn % len(PEERS)
            for peer in PEERS[first:] + PEERS[:first]:
                seconds, variables = _locals_after_a_step(sessions[peer])
                taken[peer].append(seconds)
                if peer == OURS:
                    exact.append(_states(variables)["exact"])
    samples = {peer: Sample.of(times) for peer, times in taken.items()}
    row = Row("Locals", samples, at_least={PLAIN: 1.0, NO_DELAY: 1.0}, at_most=BUDGET)
    return Benchmark(
        f"First answer for {TENSORS} tensors of 1e8 elements in all",
        [row],
        notes=[
            f"Exact at once: {min(exact)} to {max(exact)} of {TENSORS}; the others say how much was seen.",
            "Plain debugpy prints the first and last three elements.",
        ],
    )


def _locals_after_a_step(session: DebugSession) -> tuple[float, list[Message]]:
    stop = session.next()
    scopes = session.request("scopes", frameId=stop.frame)["scopes"]
    seconds, answer = session.client.timed("variables", variablesReference=scopes[0]["variablesReference"])
    variables = [v for v in answer["body"]["variables"] if v["name"].startswith("tensor_")]
    assert len(variables) == TENSORS
    return seconds, variables


def _states(variables: list[Message]) -> Counter[str]:
    return Counter(
        "partial" if variable.get("presentationHint", {}).get("lazy") else "exact" for variable in variables
    )
