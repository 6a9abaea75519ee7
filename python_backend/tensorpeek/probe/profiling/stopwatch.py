"""The time of a step by phase, each without the phases inside of it."""

from __future__ import annotations

from time import perf_counter

PHASES = ("data", "transfer", "forward", "backward", "optimizer")
DATA, TRANSFER, FORWARD, BACKWARD, OPTIMIZER = range(len(PHASES))


class Stopwatch:
    """Of the one thread that trains."""

    def __init__(self) -> None:
        self._seconds = [0.0] * len(PHASES)
        self._running: list[tuple[int, float]] = []
        self._inner: list[float] = []
        self._forward_end = 0.0
        """When a model has returned and nothing but its loss can have followed; 0 for never."""

    @property
    def phase(self) -> int:
        """The innermost that is running, -1 for none."""
        return self._running[-1][0] if self._running else -1

    def enter(self, phase: int) -> int:
        """Returns what `leave` needs."""
        now = perf_counter()
        if self._forward_end and not self._running:
            if phase in (FORWARD, BACKWARD):
                # What lies between the model's return and the backward pass is the loss.
                self._seconds[FORWARD] += now - self._forward_end
            if phase != TRANSFER:
                self._forward_end = 0.0
        depth = len(self._running)
        self._running.append((phase, now))
        self._inner.append(0.0)
        return depth

    def leave(self, depth: int, leads_to_loss: bool = False) -> float:
        """Ends the phase that was entered at this depth, and those that an exception left open in it.

        Returns its seconds, inner ones included. `leads_to_loss`: whether a model has returned.
        """
        if depth >= len(self._running):
            return 0.0
        now = perf_counter()
        phase, begun = self._running[depth]
        taken = now - begun
        self._seconds[phase] += taken - self._inner[depth]
        del self._running[depth:]
        del self._inner[depth:]
        if depth:
            self._inner[depth - 1] += taken
        elif leads_to_loss:
            self._forward_end = now
        elif self._forward_end:
            self._forward_end += taken
        return taken

    def take(self) -> list[float]:
        """The seconds since the last call, by phase."""
        seconds = self._seconds
        self._seconds = [0.0] * len(PHASES)
        self._forward_end = 0.0
        return seconds
