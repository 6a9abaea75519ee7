"""Data breakpoints in a debug session."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tensorpeek.contract.messages import CheckedBreakpoints, WatchesArguments, WatchInfo, WatchInfoArguments
from tensorpeek.probe import pydevd_access, pydevd_client, pydevd_tracing
from tensorpeek.probe.feature import Command, Feature
from tensorpeek.probe.watches.monitored_lines import MonitoredLines
from tensorpeek.probe.watches.traced_lines import TracedLines
from tensorpeek.probe.watches.watches import Watches


class DataBreakpoints(Feature):
    def __init__(self) -> None:
        self._watches = Watches(complain)

    def commands(self) -> Mapping[str, Command]:
        return {"watchInfo": self._info, "watches": self._set}

    def register(self) -> None:
        if sys.version_info >= (3, 12):
            self._watches.use(MonitoredLines(self._watches))
        else:
            self._watches.use(TracedLines(self._watches, pydevd_tracing.share))
        pydevd_access.on_resume(self._watches.begin)

    def release(self) -> None:
        self._watches.set([])

    def _info(self, arguments: WatchInfoArguments) -> WatchInfo:
        container: Any = pydevd_access.find_value(arguments["reference"] or arguments["frameId"])
        return self._watches.info(container, arguments["name"])

    def _set(self, arguments: WatchesArguments) -> CheckedBreakpoints:
        return {"breakpoints": self._watches.set(arguments["watches"])}


def complain(text: str) -> None:
    pydevd_client.send_event("output", {"category": "stderr", "output": f"TensorPeek: {text}\n"})
