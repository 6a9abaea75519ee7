"""What a client asks at every stop: the step, threads, stackTrace, scopes, and variables with 50 tensors."""

from __future__ import annotations

import contextlib
from collections import defaultdict

from paused import NO_DELAY, PEERS, PLAIN, paused
from report import Benchmark, Row
from timing import Sample

from harness import DebugSession

REQUESTS = ("step", "threads", "stackTrace", "scopes", "variables", "the whole stop")
FASTER_THAN_PLAIN = 10.0
NEAR_NO_DELAY = 1 / 1.3
STOPS_IN_A_ROW = 5
"""Of one session, after one that is not counted: whoever steps stays in a session."""


def run(quick: bool) -> Benchmark:
    rounds = 6 if quick else 24
    taken: dict[str, dict[str, list[float]]] = {request: defaultdict(list) for request in REQUESTS}
    with contextlib.ExitStack() as stack:
        sessions = {peer: stack.enter_context(paused(peer, "fifty_tensors.py")) for peer in PEERS}
        for turn in range(rounds):
            first = turn % len(PEERS)
            for peer in PEERS[first:] + PEERS[:first]:
                _one_stop(sessions[peer])
                for _ in range(STOPS_IN_A_ROW):
                    for request, seconds in _one_stop(sessions[peer]).items():
                        taken[request][peer].append(seconds)
    at_least = {PLAIN: FASTER_THAN_PLAIN, NO_DELAY: NEAR_NO_DELAY}
    rows = [
        Row(request, {peer: Sample.of(taken[request][peer]) for peer in PEERS}, at_least=at_least)
        for request in REQUESTS
    ]
    return Benchmark(
        "The requests of a stop, 50 tensors of 64 × 64 in the frame",
        rows,
        notes=["Ours answers with exact statistics of each tensor, plain debugpy with torch's print-out."],
    )


def _one_stop(session: DebugSession) -> dict[str, float]:
    """Seconds per request, each sent when the one before is answered, as editors do."""
    client = session.client
    assert session.stop is not None
    thread = session.stop.thread
    known = len(client.records)
    departed = client.send("next", {"threadId": thread})
    client.next_event("stopped")
    begun = client.departure(departed)
    stopped = next(r.at for r in client.records[known:] if not r.sent and r.message.get("event") == "stopped")
    threads, _ = client.timed("threads")
    stack, answer = client.timed("stackTrace", threadId=thread, startFrame=0, levels=20)
    frame = answer["body"]["stackFrames"][0]["id"]
    scopes, answer = client.timed("scopes", frameId=frame)
    reference = answer["body"]["scopes"][0]["variablesReference"]
    variables, answer = client.timed("variables", variablesReference=reference)
    assert len(answer["body"]["variables"]) >= 50
    return {
        "step": stopped - begun,
        "threads": threads,
        "stackTrace": stack,
        "scopes": scopes,
        "variables": variables,
        "the whole stop": client.arrival(answer) - begun,
    }
