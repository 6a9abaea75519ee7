"""Drives real debug sessions: a DAP client, a session with its processes, and the scripts to debug.

with DebugSession() as session:
    session.launch("tensors.py", stops=["here"])
    session.wait_for_stop()
    assert session.locals()["x"]["value"].startswith("f32")
"""

from harness.client import ConnectionEnded, DapClient, RequestFailed
from harness.processes import cmdline, is_alive, marked_processes, wait_until
from harness.repeating import RepeatingSession, RepeatingSessions
from harness.session import ADAPTER, BACKEND, DEBUGGEES, DebugSession, Stop, line_of

__all__ = [
    "ADAPTER",
    "BACKEND",
    "DEBUGGEES",
    "ConnectionEnded",
    "DapClient",
    "DebugSession",
    "RepeatingSession",
    "RepeatingSessions",
    "RequestFailed",
    "Stop",
    "cmdline",
    "is_alive",
    "line_of",
    "marked_processes",
    "wait_until",
]
