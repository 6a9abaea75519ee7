"""Breakpoints on modules in a debug session."""

from __future__ import annotations

from collections.abc import Mapping

from tensorpeek.contract.messages import CheckedBreakpoints, ModuleBreakpointsArguments
from tensorpeek.probe import pydevd_client
from tensorpeek.probe.feature import Command, Feature
from tensorpeek.probe.module_breakpoints.breakpoints import ModuleBreakpoints


class ModuleStops(Feature):
    def __init__(self) -> None:
        self._breakpoints = ModuleBreakpoints(complain)

    def commands(self) -> Mapping[str, Command]:
        return {"moduleBreakpoints": self._set}

    def release(self) -> None:
        self._breakpoints.set([])

    def _set(self, arguments: ModuleBreakpointsArguments) -> CheckedBreakpoints:
        return {"breakpoints": self._breakpoints.set(arguments["breakpoints"])}


def complain(text: str) -> None:
    pydevd_client.send_event("output", {"category": "stderr", "output": f"TensorPeek: {text}\n"})
