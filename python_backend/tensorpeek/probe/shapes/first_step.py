"""Traces the shapes of the first step of a training for free: its code is another for one call of the model.

What takes time is done before that step, when the model is built, or after it in a thread of its own.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any, Callable

from tensorpeek.contract.messages import ShapeRemark, ShapeTrace
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.shapes.called_functions import CalledFunctions, are_compiled
from tensorpeek.probe.shapes.explicit import entry_of, raised
from tensorpeek.probe.shapes.fake_trace import said
from tensorpeek.probe.shapes.first_call import has_parameters, inner
from tensorpeek.probe.shapes.module_calls import ModuleCalls
from tensorpeek.probe.shapes.tracer import Tracer, to_trace
from tensorpeek.probe.training.call_sites import keywords_of
from tensorpeek.probe.training.places import is_users_file
from tensorpeek.probe.training.torch_arrival import Arrival, is_here
from tensorpeek.runs import free_traces, shapes_file
from tensorpeek.runs.folder import rank

MOST_SECONDS_BEFORE = 1.0
"""For all files together; a program with more code than that is not traced for free."""
MOST_CALLS = 20_000
"""Of modules before the first step: who only evaluates is not watched for ever."""
SECONDS_AFTER = 0.25
"""Between the end of the call and the writing of what was seen."""
NEEDED = (
    "_global_forward_pre_hooks",
    "_global_forward_hooks_always_called",
    "_global_module_registration_hooks",
)
"""Of torch."""


class FirstStep:
    """One per process. In torch between `wait` and the first call of a model in training."""

    def __init__(self) -> None:
        self.may_trace: Callable[[Iterable[CodeType]], bool] = lambda codes: sys.gettrace() is None
        """Whether the code of these functions may be another for the time of the call."""
        self.is_evaluating: Callable[[], bool] = lambda: False
        """Whether this thread evaluates an expression of the user's while paused."""
        self._arrival = Arrival(self._install)
        self._called = CalledFunctions(is_users_file)
        self._tracer = Tracer(is_users_file, lambda: self._called.functions)
        self._kinds: set[int] = set()
        """Addresses of the classes of modules that were seen while models were built."""
        self.seconds_before = 0.0
        """What was taken while the model was built."""
        self._calls = 0
        self._is_over = False
        self._compile: Any = None
        self._step: _Step | None = None

    @property
    def was_traced(self) -> bool:
        return self._step is not None

    def wait(self) -> None:
        """From now on, or as soon as torch is there; once in a process."""
        if self._is_over or rank():
            return
        if is_here():
            self._install()
        else:
            self._arrival.leave()
            self._arrival.wait()

    def leave(self) -> None:
        """Takes everything out of torch; a step that is being traced is traced to its end."""
        self._is_over = True
        self._arrival.leave()
        modules: Any = sys.modules.get("torch.nn.modules.module")
        if modules is None or not all(hasattr(modules, name) for name in NEEDED):
            return
        modules._global_forward_pre_hooks.pop(self, None)
        modules._global_module_registration_hooks.pop(self, None)
        torch: Any = sys.modules["torch"]
        if self._compile is not None and getattr(torch.compile, "__wrapped__", None) is self._compile:
            torch.compile = self._compile

    def _install(self) -> None:
        modules: Any = sys.modules.get("torch.nn.modules.module")
        if self._is_over or modules is None or not all(hasattr(modules, name) for name in NEEDED):
            return
        modules._global_forward_pre_hooks[self] = self._root_called
        modules._global_module_registration_hooks[self] = self._registered
        self._leave_to_compiler()

    def _leave_to_compiler(self) -> None:
        """What is compiled must not find a hook of ours."""
        torch: Any = sys.modules["torch"]
        if self._compile is not None or not hasattr(torch, "compile"):
            return
        self._compile = torch.compile

        @functools.wraps(self._compile)
        def compile_without_us(*args: Any, **kwargs: Any) -> Any:
            self.leave()
            return self._compile(*args, **kwargs)

        torch.compile = compile_without_us

    # Before the step

    def _registered(self, module: Any, name: str, submodule: Any) -> None:
        """A model is being built."""
        kind = type(module)
        if id(kind) in self._kinds:
            return
        self._kinds.add(id(kind))
        begun = time.perf_counter()
        try:
            self._called.add_class(kind)
            self._tracer.prepare(self._called.functions)
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            self.leave()
        self.seconds_before += time.perf_counter() - begun
        if self.seconds_before > MOST_SECONDS_BEFORE:
            self.leave()

    # The step

    def _root_called(self, module: Any, args: tuple[Any, ...]) -> None:
        try:
            if self._is_step(module):
                self.leave()
                self._begin(module, args, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            self.leave()

    def _is_step(self, module: Any) -> bool:
        torch: Any = sys.modules["torch"]
        self._calls += 1
        if self._calls > MOST_CALLS:
            self.leave()
        return (
            not self._is_over
            and module.training
            and torch.is_grad_enabled()
            and torch._C._functorch.peek_interpreter_stack() is None
            and torch._C._get_tracing_state() is None
            and has_parameters(module)
            and not self.is_evaluating()
        )

    def _begin(self, module: Any, args: tuple[Any, ...], frame: FrameType) -> None:
        modules = list(module.modules())
        if are_compiled(modules):
            return
        model = inner(module)
        kwargs, _ = keywords_of(frame)
        called = self._called
        called.add_call(modules, (*args, *kwargs.values()))
        if called.are_compiled or not self.may_trace(function.__code__ for function in called.functions):
            return
        self._tracer.prepare(called.functions)
        self._step = _Step(module, model, self._tracer)
        self._step.begin(frame)


class _Step:
    """The one call of the model. Its code is its own again when that returns, however it returns."""

    def __init__(self, root: Any, model: Any, tracer: Tracer) -> None:
        self._model = model
        self._tracer = tracer
        self._modules = ModuleCalls(root, self._called, self._returned)
        self._frames: tuple[int, int] = (0, 0)
        """Addresses of torch's frames of the call: of the one that calls a hook, and, behind an exception, of
        the one around it."""
        self._alive: Any = None
        self._lock = threading.Lock()
        self._is_running = False

    def begin(self, frame: FrameType) -> None:
        """`frame` is torch's that calls the hook."""
        whole = frame.f_back if frame.f_code.co_name == "inner" else frame
        assert whole is not None
        self._frames = id(frame), id(whole)
        # Of what is no Exception, as Ctrl+C, no hook is told. This function goes with the call, or with the
        # traceback of it.
        function = whole.f_locals.get("inner")
        if function is not None:
            self._alive = weakref.ref(function, lambda _: self._end(None))
        self._is_running = True
        self._tracer.__enter__()
        self._modules.enter()

    def _called(self, frame: FrameType | None) -> None:
        """The root again: it calls itself, or the step has ended and nobody has told."""
        while frame is not None:
            if id(frame) == self._frames[1]:
                return
            frame = frame.f_back
        self._end(None)

    def _returned(self, frame: FrameType) -> None:
        if id(frame) == self._frames[0]:
            self._end(None)
        elif id(frame) == self._frames[1]:
            self._end(sys.exc_info()[1])

    def _end(self, error: BaseException | None) -> None:
        with self._lock:
            was_running, self._is_running = self._is_running, False
        if not was_running:
            return
        self._modules.leave()
        self._tracer.stop()
        self._alive = None
        problem = said(error) if error is not None else ""
        remarks = raised(error, is_users_file)
        thread = threading.Thread(target=self._write, args=(problem, remarks, os.getpid()), name="tensorpeek")
        # The debugger neither traces nor shows its own threads.
        thread.__dict__.update(pydev_do_not_trace=True, is_pydev_daemon_thread=True)
        thread.start()

    def _write(self, problem: str, remarks: list[ShapeRemark], process: int) -> None:
        # Beside the step it would take the interpreter from it; a program that ends is not kept waiting.
        threading.main_thread().join(SECONDS_AFTER)
        try:
            self._tracer.clear()
            trace = to_trace(
                self._tracer.recording,
                source="step",
                entry=entry_of(self._model),
                symbols=[],
                modules=self._modules.rows(),
                remarks=remarks,
                problem=problem,
            )
            if os.getpid() == process:
                _keep(trace)
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            pass
        finally:
            self._model = None


def _keep(trace: ShapeTrace) -> None:
    """Unless the user has asked for one in this run, which says more, or it is known."""
    written = RUN_OUTPUT.written
    is_asked_for = written is not None and (written / shapes_file.NAME).exists()
    if not is_asked_for and not free_traces.is_known(RUN_OUTPUT.runs, trace):
        shapes_file.write(RUN_OUTPUT.path(), trace)
        free_traces.prune(RUN_OUTPUT.runs)


FIRST_STEP = FirstStep()
