"""All breakpoints on modules of the process."""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Callable

from tensorpeek.contract.messages import CheckedBreakpoint, ModuleBreakpoint
from tensorpeek.probe import pydevd_access, raw
from tensorpeek.probe.module_breakpoints.breakpoint import Breakpoint
from tensorpeek.probe.module_breakpoints.hooks import ModuleHooks, on_gradient, tensors_in
from tensorpeek.probe.stops.stop import Stop, stop_at
from tensorpeek.probe.titles import LONGEST_TITLE
from tensorpeek.probe.training.models import Models
from tensorpeek.probe.training.places import place_of, user_frame
from tensorpeek.probe.training.torch_arrival import Arrival, is_here
from tensorpeek.probe.training.training import TRAINING

NAMES_SAID = 5


class ModuleBreakpoints:
    """`report` tells the user of a condition that fails."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._breakpoints: list[Breakpoint] = []
        self._models = Models()
        self._found: dict[int, tuple[weakref.ref[Any], list[Breakpoint]]] = {}
        """By id of the module, what is set on it; a module that was called before is not looked up again."""
        self._hooks = ModuleHooks(self._before, self._after)
        self._arrival = Arrival(self._hooks.install)
        self._stopping = threading.local()

    def set(self, given: Sequence[ModuleBreakpoint]) -> list[CheckedBreakpoint]:
        """Takes the place of what was set before, and holds from the next call of a module on."""
        known = {str(each.given): each for each in self._breakpoints}
        self._breakpoints = [known.get(str(each)) or Breakpoint(each, self._report) for each in given]
        self._found = {}
        self._arrival.leave()
        if not self._breakpoints:
            self._hooks.remove()
            self._models = Models()
        elif is_here():
            self._hooks.install()
        else:
            self._arrival.wait()
        paused = [value for value in pydevd_access.paused_names().values() if raw.is_module(type(value))]
        for model in (*TRAINING.models.roots(), *paused) if given else ():
            self._models.add_root(model)
        return [self._checked(each) for each in self._breakpoints]

    def _checked(self, breakpoint: Breakpoint) -> CheckedBreakpoint:
        roots = self._models.roots()
        if not roots:
            message = "Stops when a module of this name is called; no model was seen yet."
            return {"verified": True, "message": message}
        meant = [
            module
            for root in roots
            for module in root.modules()
            if breakpoint.means(self._models.module_path(module), module)
        ]
        models = ", ".join(dict.fromkeys(type(root).__name__ for root in roots))
        if meant:
            modules = "1 module" if len(meant) == 1 else f"{len(meant)} modules"
            return {"verified": True, "message": f"{modules} of {models}."}
        names = [name for root in roots for name in self._models.names(root)]
        more = ", …" if len(names) > NAMES_SAID else ""
        told = f" Its modules are {', '.join(names[:NAMES_SAID])}{more}." if names else ""
        return {"verified": False, "message": f"{models} has no module of this name.{told}"}

    # What the hooks tell

    def _before(self, module: Any) -> None:
        """A module that nothing is known of is called from outside of the known models."""
        if not TRAINING.is_evaluating():
            self._models.add_root(module)

    def _after(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        meant = self._meant(module)
        if not meant or getattr(self._stopping, "now", False) or TRAINING.is_evaluating():
            return
        for breakpoint in meant:
            if not breakpoint.is_backward:
                self._look_forward(breakpoint, module, args, kwargs, output)
            elif sys.modules["torch"].is_grad_enabled():
                self._wait_for_gradient(breakpoint, module, args, kwargs, output)

    def _meant(self, module: Any) -> list[Breakpoint]:
        known = self._found.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        path = self._models.module_path(module)
        meant = [each for each in self._breakpoints if each.means(path, module)]
        self._found[id(module)] = (weakref.ref(module), meant)
        return meant

    def _look_forward(
        self, breakpoint: Breakpoint, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        inputs = (*args, *kwargs.values())
        frame = user_frame()
        values = {**named_inputs(module, args, kwargs), "output": output, "module": module}
        names = {"module": module, "inputs": inputs, "output": output}
        message = f"{self._name(module)} has returned."
        self._stop_where_it_holds(breakpoint, module, names, values, frame, message)

    def _wait_for_gradient(
        self, breakpoint: Breakpoint, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        # Until then nothing of the step is kept alive by us.
        inputs = {name: kept(value) for name, value in named_inputs(module, args, kwargs).items()}
        kept_output, kept_module = kept(output), weakref.ref(module)
        place = place_of(user_frame())
        where = f", called at {place.path}:{place.line}" if place is not None else ""

        def come(gradient: Any) -> None:
            module = kept_module()
            if breakpoint not in self._breakpoints or module is None or TRAINING.is_evaluating():
                return
            values = {name: value() for name, value in inputs.items()}
            known: dict[str, Any] = {"output": kept_output(), "gradient": gradient}
            names = {"module": module, "inputs": tuple(values.values()), **known}
            message = f"The gradient has come back to {self._name(module)}{where}."
            shown = {**values, **known, "module": module}
            self._stop_where_it_holds(breakpoint, module, names, shown, user_frame(), message)

        on_gradient(output, come)

    def _stop_where_it_holds(
        self,
        breakpoint: Breakpoint,
        module: Any,
        names: dict[str, Any],
        values: dict[str, Any],
        frame: Any,
        message: str,
    ) -> None:
        self._stopping.now = True
        try:
            if breakpoint.holds(names, frame):
                title = shortened(self._models.module_path(module) or type(module).__name__, breakpoint)
                stop_at(frame, Stop(title, message, "function breakpoint", scope="Module", values=values))
        finally:
            self._stopping.now = False

    def _name(self, module: Any) -> str:
        path, kind = self._models.module_path(module), type(module).__name__
        return f"{path} ({kind})" if path else kind


def shortened(path: str, breakpoint: Breakpoint) -> str:
    """The end of a path says more than its beginning."""
    words = " backward" if breakpoint.is_backward else " called"
    room = LONGEST_TITLE - len(words)
    return (path if len(path) <= room else "…" + path[1 - room :]) + words


def named_inputs(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What the module was called with, by the names of its forward's parameters."""
    try:
        bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):  # forward is not a Python function, or was called otherwise
        bound = {**{f"input {number}": value for number, value in enumerate(args)}, **kwargs}
    return {
        f"input {name}" if name in ("output", "module", "gradient") else name: v for name, v in bound.items()
    }


def kept(value: Any) -> Callable[[], Any]:
    """A way to the tensors of a value that does not keep them; None for what is gone."""
    tensors = [weakref.ref(tensor) for tensor in tensors_in(value)]
    if len(tensors) == 1 and isinstance(value, sys.modules["torch"].Tensor):
        return tensors[0]
    return lambda: tuple(alive(tensors))


def alive(references: Iterable[weakref.ref[Any]]) -> list[Any]:
    return [reference() for reference in references]
