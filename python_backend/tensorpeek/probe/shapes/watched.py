"""What one attempt to trace a call sees."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Callable

from tensorpeek.probe.shapes.call import Call
from tensorpeek.probe.shapes.module_map import ModuleMap
from tensorpeek.probe.shapes.remarks.observer import observed
from tensorpeek.probe.shapes.remarks.operations import Operations
from tensorpeek.probe.shapes.swap import live_functions
from tensorpeek.probe.shapes.tracer import Recording, Tracer
from tensorpeek.probe.shapes.work import Work, counted


@dataclass(frozen=True)
class Watched:
    recording: Recording
    modules: ModuleMap
    operations: Operations
    work: Work


@contextlib.contextmanager
def watched(call: Call, wants: Callable[[str], bool]) -> Generator[Watched]:
    """Sees what runs meanwhile in files that `wants` says yes to."""
    modules = ModuleMap(call.function, wants)
    tracer = Tracer(wants, lambda: _functions(wants))
    with tracer, modules, counted(wants) as work, observed(call, wants) as operations:
        tracer.recording.work = work
        yield Watched(tracer.recording, modules, operations, work)


def _functions(wants: Callable[[str], bool]) -> Iterable[FunctionType]:
    """Of a process with transformers, a hundred of eighty thousand."""
    functions = live_functions()
    files = {path for path in {function.__code__.co_filename for function in functions} if wants(path)}
    return [function for function in functions if function.__code__.co_filename in files]
