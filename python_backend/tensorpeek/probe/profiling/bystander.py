"""A thread that sees where the main thread is in native code that has given up the interpreter's lock.

Python handles a signal between two instructions, and behind an operator as in `a @ b` only at the next call
or jump, which may be on another line. A thread that wakes and gets the lock at once has found the other one
in such code: what it sees then is the right line. Where it has to wait for the lock, the main thread ran
Python code, and what it sees is where the lock was given up: that counts only where a signal was handled so
late that native code must have run.
"""

from __future__ import annotations

import _thread
import sys
from time import perf_counter
from types import FrameType
from typing import Callable

from tensorpeek.probe.profiling.stacks import Stack

PROMPT_S = 0.0006
"""Until the lock is there, for a thread that did not have to wait for it."""
MOST_SEEN = 1000
RARE = 5


class Bystander:
    """Looks at the thread that made it every `interval` seconds, and keeps what `look` makes of its frame."""

    def __init__(self, look: Callable[[FrameType], Stack], interval: float) -> None:
        self._look = look
        self.interval = interval
        self._watched = _thread.get_ident()
        self._stop = _thread.allocate_lock()
        """Held while it is to run."""
        self._ended = _thread.allocate_lock()
        """Held while it runs."""
        self._seen: list[tuple[Stack, bool]] = []
        """With whether the lock was there at once."""
        self.is_running = False
        self.is_wanted = True
        """Whether the watched thread was in native code lately; if not, a look now and then is enough."""

    def start(self) -> None:
        if self.is_running:
            return
        self.is_running = True
        self._stop.acquire()
        self._ended.acquire()
        _thread.start_new_thread(self._run, ())

    def stop(self) -> None:
        """Returns when the thread has ended."""
        if not self.is_running:
            return
        self._stop.release()
        self._ended.acquire()
        self._ended.release()
        self.is_running = False

    def take(self, with_waits: bool) -> list[Stack]:
        """What was seen since the last call, or only what was seen without waiting for the lock."""
        if not self._seen:
            return []
        seen, self._seen = self._seen, []
        return [stack for stack, is_prompt in seen if is_prompt or with_waits]

    def _run(self) -> None:
        try:
            while True:
                interval = self.interval if self.is_wanted else RARE * self.interval
                wanted = perf_counter() + interval
                if self._stop.acquire(True, interval):
                    self._stop.release()
                    return
                is_prompt = perf_counter() - wanted < PROMPT_S
                if len(self._seen) < MOST_SEEN:
                    frame = sys._current_frames().get(self._watched)  # pyright: ignore[reportPrivateUsage]
                    if frame is not None:
                        self._seen.append((self._look(frame), is_prompt))
                    del frame
        finally:
            self._ended.release()
