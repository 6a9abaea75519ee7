"""What happens to the program when a finding comes: it goes on, ends, or waits for a person."""

from __future__ import annotations

import bdb
import importlib
import pdb
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tensorpeek.adapter.debugpy_location import find_debugpy
from tensorpeek.cli.console import Console
from tensorpeek.cli.options import EXIT_CODE
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.stops.stop import of_finding, stop_at

Stop = Callable[[Finding, "FrameType | None", "dict[str, Any]"], None]

OURS = ["tensorpeek", "tensorpeek.*", "torch", "torch.*"]
"""Modules that `step` in pdb does not enter: they lie between the finding and the user's next line."""


def action(word: str, console: Console) -> Stop | None:
    """What `--on-break WORD` does in the thread that found something; None where the program just goes on."""
    if word == "exit":
        return _end
    if word == "pdb":
        return _Pdb()
    if word == "listen":
        return _Listener(console)
    return None


def _end(finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
    raise SystemExit(EXIT_CODE)


class _Pdb:
    """Opens pdb in the user's frame, before anything else runs there."""

    def __init__(self) -> None:
        self._pdb = pdb.Pdb(skip=OURS)

    def __call__(self, finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
        if frame is None:
            return
        debugger: Any = self._pdb
        sys.settrace(None)
        debugger.reset()
        # As bdb's set_trace, without its stop at the next line that is traced: that would be one of ours.
        above: FrameType | None = frame
        while above is not None:
            above.f_trace = debugger.trace_dispatch
            debugger.botframe = above
            above = above.f_back
        try:
            debugger.interaction(frame, None)
        except bdb.BdbQuit:
            raise SystemExit(EXIT_CODE) from None
        if debugger.quitting:
            raise SystemExit(EXIT_CODE)
        if debugger.stopframe is not None or debugger.stoplineno != -1 or debugger.breaks:
            sys.settrace(debugger.trace_dispatch)


class _Listener:
    """Opens a port of debugpy's on the loopback address at the first finding, and waits for an editor."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._debugpy: Any = None

    def __call__(self, finding: Finding, frame: FrameType | None, values: dict[str, Any]) -> None:
        if self._debugpy is None:
            self._debugpy = _import_debugpy()
            if self._debugpy is None:
                self._console.say("tensorpeek: debugpy is not installed, so nothing can attach; going on")
                return
            host, port = self._debugpy.listen(("127.0.0.1", 0))
            self._console.say(f"tensorpeek: waiting for a debugger to attach to {host}:{port}")
        if not self._debugpy.is_client_connected():
            self._debugpy.wait_for_client()
        stop_at(frame, of_finding(finding, values))


def _import_debugpy() -> Any:
    """debugpy from the program's environment, else the one that TensorPeek brings."""
    folder = find_debugpy()
    if folder is None:
        return None
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    # By its name only: what runs in the program may not depend on it.
    name = "debugpy"
    return importlib.import_module(name)
