"""Looks at the main thread every few milliseconds, by a timer of the system whose signal Python handles.

A thread that looks at the others would see lines that give up the interpreter's lock too often; a signal is
handled by the thread itself, at the line that it is in. The signal of wall time is SIGALRM. A program that
uses it gets it at once, and is sampled by its processor time from then on.
"""

from __future__ import annotations

import signal
import threading
from time import perf_counter
from types import FrameType
from typing import Any, Callable

from tensorpeek.probe.profiling.replacements import Replacements

INTERVAL_S = 0.005
LATER_INTERVAL_S = 0.01
FINE_SAMPLES = 1000
"""After so many, fewer say enough."""

Tick = Callable[["FrameType | None", float, float], None]
"""The frame, the seconds since the last tick, and how many of these passed before Python could look."""


class _Clock:
    def __init__(self, name: str, timer: str, number: str) -> None:
        self.name = name
        self.timer: int = getattr(signal, timer, -1)
        self.signal: int = getattr(signal, number, -1)


CLOCKS = (_Clock("wall", "ITIMER_REAL", "SIGALRM"), _Clock("cpu", "ITIMER_PROF", "SIGPROF"))


class Sampler:
    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._clock: _Clock | None = None
        self._left = list(CLOCKS)
        self._before: Any = None
        self._last = 0.0
        self._samples = 0
        self.interval = INTERVAL_S
        self._replacements = Replacements()
        self._signal: Callable[..., Any] = signal.signal
        self.used: str = "none"
        """The name of the clock that was used last."""
        self.problem = ""

    def start(self) -> None:
        """In the main thread only."""
        if not hasattr(signal, "setitimer"):
            self.problem = "Lines were not measured: this system has no timers for it."
            return
        if threading.current_thread() is not threading.main_thread():
            self.problem = "Lines were not measured: the program does not run in the main thread."
            return
        for name in ("signal", "setitimer", "alarm"):
            self._replacements.replace(signal, name, getattr(self, f"_users_{name}"))
        self._begin()

    def stop(self) -> None:
        self._end()
        self._replacements.remove()

    def forget(self) -> None:
        """In a forked process, which has inherited no timer."""
        self._clock = None
        self._replacements.remove()

    def look_closely(self) -> None:
        """What comes now is of more interest than what was before."""
        self._samples, self.interval = 0, INTERVAL_S
        if self._clock is not None:
            _set_timer(self._clock.timer, self.interval, self.interval)

    def skip(self) -> None:
        """What has passed since the last tick was ours."""
        self._last = perf_counter()

    def _begin(self) -> None:
        while self._left:
            clock = self._left.pop(0)
            if signal.getsignal(clock.signal) not in (signal.SIG_DFL, signal.SIG_IGN, None):
                continue
            self._before = self._signal(clock.signal, self._handle)
            signal.siginterrupt(clock.signal, False)
            self._clock, self.used, self._last = clock, clock.name, perf_counter()
            _set_timer(clock.timer, self.interval, self.interval)
            return
        self.problem = "Lines were not measured all the time: the program uses the signals for it."

    def _end(self) -> None:
        clock, self._clock = self._clock, None
        if clock is None:
            return
        _set_timer(clock.timer, 0)
        if signal.getsignal(clock.signal) == self._handle:
            self._signal(clock.signal, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._clock is None:
            return
        now = perf_counter()
        seconds = now - self._last
        self._last = now
        self._samples += 1
        if self._samples == FINE_SAMPLES:
            self.interval = LATER_INTERVAL_S
            _set_timer(self._clock.timer, self.interval, self.interval)
        self._tick(frame, seconds, max(0.0, seconds - 1.5 * self.interval))

    # What the program asks of signals

    def _users_signal(self, original: Callable[..., Any], number: Any, handler: Any) -> Any:
        self._give_up(lambda clock: clock.signal == number)
        return original(number, handler)

    def _users_setitimer(self, original: Callable[..., Any], which: Any, *times: float) -> Any:
        self._give_up(lambda clock: clock.timer == which)
        return original(which, *times)

    def _users_alarm(self, original: Callable[..., Any], seconds: int) -> Any:
        self._give_up(lambda clock: clock.name == "wall")
        return original(seconds)

    def _give_up(self, is_wanted: Callable[[_Clock], bool]) -> None:
        self._left = [clock for clock in self._left if not is_wanted(clock)]
        if self._clock is not None and is_wanted(self._clock):
            if self._clock.name == "wall":
                self.problem = "The program uses SIGALRM: from then on lines were measured by processor time."
            self._end()
            self._begin()


_set_timer: Callable[..., Any] = getattr(signal, "setitimer", lambda *_: None)
"""Python's own, whatever is put in its place."""
