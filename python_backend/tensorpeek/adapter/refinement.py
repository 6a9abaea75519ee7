"""Makes unfinished values exact, slice by slice, with progress and cancel."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from typing import Callable

from tensorpeek.adapter.channel import Channel
from tensorpeek.adapter.probe_link import ProbeFailed, ProbeLink
from tensorpeek.adapter.references import UnfinishedValue
from tensorpeek.contract.messages import Presentation, RefineResult

log = logging.getLogger(__name__)

SLICE_MS = 20.0
"""Work per call, so that whatever else the user asks of the debuggee waits no longer than this."""

PROGRESS_INTERVAL = 0.1
"""Seconds between two progress events."""


class Refinements:
    """Those that run in one session. Cancelled ones give what is known so far."""

    def __init__(self, probe: ProbeLink, title: Callable[[str], str]) -> None:
        self._probe = probe
        self._title = title
        self._running: dict[int, asyncio.Task[RefineResult]] = {}
        self._request_of_progress: dict[str, int] = {}
        self._numbers = itertools.count(1)

    async def run(self, request_seq: int, value: UnfinishedValue, client: Channel | None) -> Presentation:
        """The exact presentation, or the latest after a cancel or failure. `client` gets progress events."""
        latest = value.presentation

        def remember(result: RefineResult) -> None:
            nonlocal latest
            latest = result["presentation"]

        progress = _Progress(
            client, f"refine-{next(self._numbers)}", self._title(value.entry["name"]), request_seq
        )
        self._request_of_progress[progress.id] = request_seq
        task = asyncio.ensure_future(self._refine(value.entry["variablesReference"], progress, remember))
        self._running[request_seq] = task
        try:
            await asyncio.wait([task])
            failure = None if task.cancelled() else task.exception()
            if isinstance(failure, ProbeFailed):
                log.warning("a value could not be made exact: %s", failure)
            elif failure is not None:
                raise failure
            return latest
        finally:
            del self._running[request_seq], self._request_of_progress[progress.id]
            progress.end()

    async def _refine(
        self, reference: int, progress: _Progress, remember: Callable[[RefineResult], None]
    ) -> RefineResult:
        while True:
            result = await self._probe.refine({"reference": reference, "sliceMs": SLICE_MS})
            remember(result)
            if result["done"]:
                return result
            progress.show(result["fraction"])

    def cancel_request(self, seq: int) -> None:
        task = self._running.get(seq)
        if task is not None:
            task.cancel()

    def cancel_progress(self, progress_id: str) -> None:
        seq = self._request_of_progress.get(progress_id)
        if seq is not None:
            self.cancel_request(seq)

    def cancel_all(self) -> None:
        for task in self._running.values():
            task.cancel()


class _Progress:
    """The progress events of one refinement; begins with the first slice that was not enough."""

    def __init__(self, client: Channel | None, identity: str, title: str, request_seq: int) -> None:
        self.id = identity
        self._client = client
        self._title = title
        self._request_seq = request_seq
        self._shown_at: float | None = None

    def show(self, fraction: float) -> None:
        if self._client is None:
            return
        now = time.monotonic()
        if self._shown_at is None:
            self._client.event(
                "progressStart",
                {
                    "progressId": self.id,
                    "title": self._title,
                    "requestId": self._request_seq,
                    "cancellable": True,
                    "percentage": _percentage(fraction),
                },
            )
        elif now - self._shown_at < PROGRESS_INTERVAL:
            return
        else:
            self._client.event("progressUpdate", {"progressId": self.id, "percentage": _percentage(fraction)})
        self._shown_at = now

    def end(self) -> None:
        if self._client is not None and self._shown_at is not None:
            self._client.event("progressEnd", {"progressId": self.id})


def _percentage(fraction: float) -> int:
    return max(0, min(100, int(fraction * 100)))
