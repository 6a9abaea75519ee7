"""A program paused in three debuggers at once: ours, debugpy, and debugpy without its 40 ms wait."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from report import OURS

from harness import DebugSession

PLAIN = "debugpy"
NO_DELAY = "debugpy, TCP_NODELAY"
PEERS = (OURS, PLAIN, NO_DELAY)

DEBUGGEES = Path(__file__).resolve().parent / "debuggees"

_SET_NO_DELAY = (
    '__import__("pydevd").get_global_debugger().writer.sock.setsockopt('
    '__import__("socket").IPPROTO_TCP, __import__("socket").TCP_NODELAY, 1)'
)


@contextlib.contextmanager
def paused(
    peer: str, program: str, arguments: Sequence[str] = (), marker: str = "here"
) -> Iterator[DebugSession]:
    """A session stopped at the marker."""
    with launched(peer, program, arguments, [marker]) as session:
        session.wait_for_stop(60)
        if peer == OURS:
            _insist_on_active(session)
        yield session


@contextlib.contextmanager
def launched(
    peer: str, program: str, arguments: Sequence[str] = (), stops: Sequence[str | dict[str, str]] = ()
) -> Iterator[DebugSession]:
    """A session of this peer, running. At exit the program is killed: some are too busy to be asked."""
    with DebugSession("tensorpeek" if peer == OURS else "debugpy") as session:
        session.launch(DEBUGGEES / program, args=list(arguments), stops=stops)
        session.client.next_event("process", 60)
        try:
            if peer == NO_DELAY:
                session.request("evaluate", expression=_SET_NO_DELAY, context="repl")
            yield session
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(session.process_id(), signal.SIGKILL)


def _insist_on_active(session: DebugSession) -> None:
    """A session that fell back to plain debugpy would be measured against itself."""
    session.client.wait_until(lambda: bool(session.client.events("tensorpeek/mode")), what="tensorpeek/mode")
    mode = session.client.events("tensorpeek/mode")[-1]
    if mode["mode"] != "active":
        raise RuntimeError(f"TensorPeek is not active: {mode['reason']}")
