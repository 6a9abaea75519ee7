"""What is wrapped in torch to see the phases of a step, and put back at the end.

No hooks of torch on modules: those take every call of a module off its fast path, and torch.compile compiles
anew for them.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Callable

from tensorpeek.probe.profiling.events import Events
from tensorpeek.probe.profiling.replacements import Replacements
from tensorpeek.probe.profiling.stopwatch import BACKWARD, DATA, FORWARD, OPTIMIZER, TRANSFER
from tensorpeek.probe.profiling.syncs import KINDS
from tensorpeek.probe.training.running_step import RunningStep

MARK = "tensorpeek module "
"""Before a module's number, in what is recorded of the window."""


class Hooks:
    """In torch between `install` and `remove`. Torch must be imported."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._replacements = Replacements()
        self._depth = 0
        """Of modules that call each other."""
        self._step: tuple[RunningStep, int] | None = None
        """The outermost step of an optimizer that runs, with what the stopwatch needs to leave it."""

    def install(self) -> None:
        torch, modules = sys.modules["torch"], sys.modules
        replace = self._replacements.replace
        loading = modules.get("torch.utils.data.dataloader")
        loader, iterator = getattr(loading, "DataLoader", None), getattr(loading, "_BaseDataLoaderIter", None)
        replace(loader, "__init__", self._loader_made)
        replace(loader, "__iter__", self._pass_begins)
        replace(iterator, "__next__", self._next)
        for name in ("backward", "grad"):
            replace(torch.autograd, name, self._backward)
        anomaly = modules.get("torch.autograd.anomaly_mode")
        for kind, name in (("set_detect_anomaly", "__init__"), ("detect_anomaly", "__enter__")):
            replace(getattr(anomaly, kind, None), name, self._anomaly_mode)
        profiler = getattr(modules.get("torch.autograd.profiler"), "profile", None)
        for name in ("_prepare_trace", "_start_trace"):
            replace(profiler, name, self._profiler_begins)
        for name, kind in KINDS.items():
            replace(torch.Tensor, name, self._events.syncs.wrapper(kind))
        version = torch.version
        if getattr(version, "cuda", None) or getattr(version, "hip", None) or sys.platform == "darwin":
            for name in ("to", "cuda"):
                replace(torch.Tensor, name, self._transfer)
        self._wrap_modules(torch.nn.Module)
        optimizers = modules["torch.optim.optimizer"]
        for register, hook in (
            (optimizers.register_optimizer_step_pre_hook, self._before_step),
            (optimizers.register_optimizer_step_post_hook, self._after_step),
        ):
            self._replacements.on_removal(register(hook).remove)

    def remove(self) -> None:
        self._replacements.remove()

    # Data

    def _loader_made(self, original: Callable[..., Any], loader: Any, *args: Any, **kwargs: Any) -> None:
        original(loader, *args, **kwargs)
        self._events.loaders.made(loader)

    def _pass_begins(self, original: Callable[..., Any], loader: Any) -> Any:
        events = self._events
        if not events.is_training_thread():
            return original(loader)
        events.active()
        begun = perf_counter()
        depth = events.stopwatch.enter(DATA)
        try:
            iterator = original(loader)
        finally:
            events.stopwatch.leave(depth)
        events.loaders.pass_begun(loader, iterator, begun)
        return iterator

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        events = self._events
        if not events.is_training_thread():
            return original(iterator)
        events.active()
        depth = events.stopwatch.enter(DATA)
        gave = False
        try:
            batch = original(iterator)
            gave = True
            return batch
        finally:
            events.loaders.waited(iterator, events.stopwatch.leave(depth), gave)

    def _transfer(self, original: Callable[..., Any], tensor: Any, *args: Any, **kwargs: Any) -> Any:
        events = self._events
        if events.stopwatch.phase != -1 or not events.is_training_thread():
            return original(tensor, *args, **kwargs)
        depth = events.stopwatch.enter(TRANSFER)
        try:
            return original(tensor, *args, **kwargs)
        finally:
            events.stopwatch.leave(depth)

    # Modules

    def _wrap_modules(self, kind: Any) -> None:
        original, events, marked = kind.__call__, self._events, _marker()

        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if self._depth:
                if not events.modules.is_timing or not events.is_training_thread():
                    return original(module, *args, **kwargs)
                return self._inner_call(original, marked, module, args, kwargs)
            if not self._replacements.are_in or not self._begins_forward():
                return original(module, *args, **kwargs)
            return self._root_call(original, marked, module, args, kwargs)

        __call__.__wrapped__ = original  # type: ignore[attr-defined]
        self._replacements.put(kind, "__call__", __call__)

    def _begins_forward(self) -> bool:
        """A module that a data set or a backward pass calls is a part of those."""
        return self._events.stopwatch.phase in (-1, OPTIMIZER) and self._events.is_training_thread()

    def _root_call(
        self, original: Callable[..., Any], marked: Any, module: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        events = self._events
        events.active()
        events.modules.know(module)
        grad = sys.modules["torch"].is_grad_enabled()
        depth = events.stopwatch.enter(FORWARD)
        self._depth = 1
        try:
            if events.modules.is_timing:
                return self._inner_call(original, marked, module, args, kwargs)
            return original(module, *args, **kwargs)
        finally:
            self._depth = 0
            events.stopwatch.leave(depth, grad)

    def _inner_call(
        self, original: Callable[..., Any], marked: Any, module: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        modules = self._events.modules
        number = modules.number(module)
        begun = modules.enter()
        try:
            if number >= 0 and self._events.is_in_window:
                with marked(f"{MARK}{number}"):
                    return original(module, *args, **kwargs)
            return original(module, *args, **kwargs)
        finally:
            modules.leave(number, begun)

    # Backward and optimizer

    def _backward(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        events = self._events
        if events.stopwatch.phase == BACKWARD or not events.is_training_thread():
            return original(*args, **kwargs)
        events.active()
        depth = events.stopwatch.enter(BACKWARD)
        try:
            return original(*args, **kwargs)
        finally:
            events.stopwatch.leave(depth)
            events.backward_ended()

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        events = self._events
        if not events.is_training_thread():
            return
        calling = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        if self._step is not None:
            outer, depth = self._step
            if outer.is_around(calling):
                return
            events.stopwatch.leave(depth)  # It was left by an exception.
        events.active()
        self._step = RunningStep(id(calling), optimizer), events.stopwatch.enter(OPTIMIZER)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        events = self._events
        if self._step is None or self._step[0].optimizer is not optimizer or not events.is_training_thread():
            return
        _, depth = self._step
        self._step = None
        events.stopwatch.leave(depth)
        events.optimizer_stepped(optimizer)

    # What is told only

    def _anomaly_mode(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        self._events.anomaly_mode_set()
        return result

    def _profiler_begins(self, original: Callable[..., Any], profiler: Any, *args: Any) -> Any:
        self._events.users_profiler_begins(profiler)
        return original(profiler, *args)


def _marker() -> Any:
    torch = sys.modules["torch"]
    fast = getattr(torch._C._profiler, "_RecordFunctionFast", None)
    return fast or torch.autograd.profiler.record_function
