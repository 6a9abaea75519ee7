"""Texts that come from somebody's `__repr__`, which may take minutes: none of them may hold up a stop.

A repr that is not known to be quick runs in a helper thread. When it does not answer soon, its class is
remembered as slow: the value is shown as `Config <slow repr>`, and its text is made when the user asks.
"""

from __future__ import annotations

import contextvars
import ctypes
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Callable

from tensorpeek.contract.messages import Presentation
from tensorpeek.probe import pydevd_access, raw
from tensorpeek.probe.presentation import present
from tensorpeek.probe.raw import class_name
from tensorpeek.probe.types_map import TypeMap

PATIENCE_FOR_ONE = 0.15
PATIENCE_FOR_ANSWER = 0.4
PATIENCE_AT_LEAST = 0.01
ANSWER_GAP = 0.25
"""Seconds without a repr after which the next one is taken to belong to another answer."""
MOST_RUNNING = 8
"""Slow reprs that may run at the same time."""

QUICK_TYPES = (
    type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, type, type(Ellipsis),
    type(NotImplemented), type(len), type(lambda: None), type(time), type([].append), type(str.join),
    type(int.__add__), type((1).__add__), type(present.__code__), object, memoryview, property,
)  # fmt: skip
QUICK_REPRS: set[int] = {id(cls.__repr__) for cls in QUICK_TYPES}
"""Identities of `__repr__` functions that take no time and run nobody's code."""

MakeText = Callable[[object, Callable[[object], None]], str]
"""Makes the text of a value, and tells of each object whose `__repr__` it is about to run."""

DEEPEST = 2
"""Levels of containers in containers that pydevd's text goes down."""
SEQUENCES = (list, tuple, set, frozenset)
BIG_DICT = 10_000
"""pydevd copies all keys of a dict to show the first 59."""


class Abandoned(BaseException):
    """Raised inside a repr whose pause is over. Not an Exception, so that user code does not swallow it."""


def is_quick(cls: type) -> bool:
    try:
        return id(cls.__repr__) in QUICK_REPRS or cls.__module__.startswith("_pydevd_bundle.")
    except Exception:  # noqa: BLE001 - a metaclass may refuse
        return False


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether pydevd's text for the value runs nobody's code. Looks no further than that text does."""
    if is_quick(raw.class_of(value)) or depth > DEEPEST:
        return True
    if raw.exactly(value, *SEQUENCES):
        return all(is_plain(item, depth + 1) for item in islice(value, shown_items(depth)))
    if type(value) is dict:
        return (depth > 0 or len(value) <= BIG_DICT) and all(
            is_plain(key, depth + 1) and is_plain(item, depth + 1)
            for key, item in islice(value.items(), shown_items(depth))
        )
    return False


def shown(value: Any, depth: int = 0) -> Iterator[object]:
    """The value and what pydevd's text shows of its inside."""
    yield value
    if depth > DEEPEST:
        return
    inside: Iterable[Any] = ()
    if raw.exactly(value, *SEQUENCES):
        inside = islice(value, shown_items(depth))
    elif raw.derives(value, dict):
        inside = islice((each for pair in dict.items(value) for each in pair), 2 * shown_items(depth))
    for item in inside:
        yield from shown(item, depth + 1)


def shown_items(depth: int) -> int:
    return 60 if depth == 0 else 20


class Job:
    """One text being made in a helper thread. Holds the value until its text is fetched or forgotten."""

    def __init__(self, value: object, make_text: MakeText, tell: Callable[[Job], None]) -> None:
        self.value = value
        self.culprit: type = type(value)
        self.text = ""
        self.seconds = 0.0
        self.done = threading.Event()
        self._context = contextvars.copy_context()
        self._make_text = make_text
        self._tell = tell

    def run(self) -> None:
        started = time.monotonic()
        try:
            self.text = self._context.run(self._make_text, self.value, self._note_culprit)
        except Abandoned:
            self.text = "<repr stopped>"
        except BaseException as error:  # noqa: BLE001 - a repr may raise anything, SystemExit too
            self.text = f"<{class_name(type(self.value))}: __repr__ raised {class_name(type(error))}>"
        self.seconds = time.monotonic() - started
        self._tell(self)
        self.done.set()

    def _note_culprit(self, obj: object) -> None:
        self.culprit = type(obj)


class Helper(threading.Thread):
    """Runs one job at a time, until the pause is over."""

    def __init__(self) -> None:
        super().__init__(name="TensorPeek repr", daemon=True)
        self._job: Job | None = None
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()

    @property
    def is_free(self) -> bool:
        """A fork leaves no helper alive in the child."""
        return self.is_alive() and (self._job is None or self._job.done.is_set())

    def submit(self, job: Job) -> None:
        self._job = job
        self._jobs.put(job)

    def stop(self) -> None:
        """Ends the thread: at once where it runs Python code, else when the C code it is in comes back."""
        is_busy, self._job = self.is_alive() and not self.is_free, None
        if is_busy:  # it can't end before the None, so that no other thread has its ident by now
            ident = ctypes.c_ulong(self.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(Abandoned))
        self._jobs.put(None)

    def run(self) -> None:
        pydevd_access.untrace_current_thread()
        try:
            for job in iter(self._jobs.get, None):
                job.run()
        except Abandoned:
            pass


class Reprs:
    """The texts of one process. `forget` at each resume keeps and leaves running nothing of the user's."""

    def __init__(
        self,
        make_text: MakeText = pydevd_access.plain_text,
        make_helper: Callable[[], Helper] = Helper,
    ) -> None:
        self._make_text = make_text
        self._make_helper = make_helper
        self._slow: TypeMap[float] = TypeMap()  # seconds it took, 0 while that is not known
        self._jobs: dict[int, Job] = {}
        self._helpers: list[Helper] = []
        # Held until they have ended: a thread whose last reference goes in its own last moments runs a
        # weakref callback there, which pydevd takes for a new thread on Python 3.12 and later.
        self._retired: list[Helper] = []
        self._patience = PATIENCE_FOR_ANSWER
        self._last = 0.0

    def now(self, value: object) -> Presentation | None:
        """The text if it can be had at once, else a lazy one. None where pydevd's own text is quick."""
        if is_plain(value):
            return None
        job = self._jobs.get(id(value))
        if job is None:
            slow = self._slow_type_in(value)
            if slow is not None or len(self._jobs) >= MOST_RUNNING:
                return self._lazy(value, slow or type(value))
            job = self._start(value)
            patience = self._patience_now()
            started = time.monotonic()
            in_time = job.done.wait(patience)
            self._spend(time.monotonic() - started)
            if not in_time and patience >= PATIENCE_FOR_ONE:
                self._slow.set(job.culprit, 0.0)
        return self._finish(job) if job.done.is_set() else self._lazy(value, job.culprit)

    def refine(self, value: object, wait: float) -> Presentation | None:
        """Starts the repr or goes on waiting, at most `wait` seconds. None while there is no text yet."""
        job = self._jobs.get(id(value)) or self._start(value)
        return self._finish(job) if job.done.wait(wait) else None

    def forget(self) -> None:
        """Stops what still runs and lets go of every value."""
        self._jobs = {}
        self._retired, self._helpers = self._helpers, []
        for helper in self._retired:
            helper.stop()

    def _start(self, value: object) -> Job:
        helper = next((helper for helper in self._helpers if helper.is_free), None)
        if helper is None:
            helper = self._make_helper()
            pydevd_access.hide_thread(helper)
            helper.start()
            self._helpers.append(helper)
        job = Job(value, self._make_text, self._note_time)
        self._jobs[id(value)] = job
        helper.submit(job)
        return job

    def _finish(self, job: Job) -> Presentation:
        self._jobs.pop(id(job.value), None)
        slow = job.seconds >= PATIENCE_FOR_ONE
        return present(f"{job.text} <repr took {job.seconds:.1f} s>" if slow else job.text, "other")

    def _note_time(self, job: Job) -> None:
        if job.seconds >= PATIENCE_FOR_ONE:
            self._slow.set(job.culprit, job.seconds)
        else:
            self._slow.discard(type(job.value))

    def _patience_now(self) -> float:
        if time.monotonic() - self._last > ANSWER_GAP:
            self._patience = PATIENCE_FOR_ANSWER
        return max(min(self._patience, PATIENCE_FOR_ONE), PATIENCE_AT_LEAST)

    def _spend(self, seconds: float) -> None:
        self._patience -= seconds
        self._last = time.monotonic()

    def _slow_type_in(self, value: object) -> type | None:
        """The class of the first slow thing in the value, as far as its text would show."""
        if not len(self._slow):
            return None
        return next((type(item) for item in shown(value) if self._slow.get(type(item)) is not None), None)

    def _lazy(self, value: object, slow: type) -> Presentation:
        seconds = self._slow.get(slow)
        took = f", {seconds:.0f} s" if seconds and seconds >= 1 else ""
        whose = "" if type(value) is slow else f" of {class_name(slow)}"
        text = present(f"{class_name(type(value))} <slow repr{whose}{took}>", "other", style="faint")
        if type(value) is slow:  # what holds a slow thing is better opened than waited for
            text["lazy"] = True
        return text
