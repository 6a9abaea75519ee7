"""Waits for the first call of a model in a program that runs as it is."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable

from tensorpeek.probe.training.call_sites import keywords_of
from tensorpeek.probe.training.torch_arrival import Arrival, is_here

AROUND = {"DataParallel": "module", "DistributedDataParallel": "module", "OptimizedModule": "_orig_mod"}
"""Modules that are around a model, by the name of their class, with where they keep it."""


class FirstCall:
    """Calls back once, in the program's thread, before the model runs."""

    def __init__(
        self, wanted: Callable[[Any], bool], then: Callable[[Any, tuple[Any, ...], dict[str, Any]], None]
    ) -> None:
        self._wanted = wanted
        self._then = then
        self._arrival = Arrival(self._install)

    def wait(self) -> None:
        """From now on, or as soon as torch is there."""
        if is_here():
            self._install()
        else:
            self._arrival.wait()

    def leave(self) -> None:
        self._arrival.leave()
        modules: Any = sys.modules.get("torch.nn.modules.module")
        if modules is not None:
            modules._global_forward_pre_hooks.pop(self, None)

    def _install(self) -> None:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_pre_hooks[self] = self._called

    def _called(self, module: Any, args: tuple[Any, ...]) -> None:
        model = inner(module)
        if not self._wanted(model) or is_being_made(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage]
            return
        self.leave()
        kwargs, _ = keywords_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        self._then(model, args, dict(kwargs))


def inner(module: Any) -> Any:
    """The model in what is put around it to run it in parallel or compiled."""
    while type(module).__name__ in AROUND:
        within = getattr(module, AROUND[type(module).__name__], None)
        if within is None:
            break
        module = within
    return module


def has_parameters(model: Any) -> bool:
    """Transforms of data are modules as well."""
    return next(iter(model.parameters()), None) is not None


def is_being_made(frame: FrameType | None) -> bool:
    """Whether a constructor of a module is under way, which tries its layers, or torch changes one."""
    base: Any = sys.modules["torch.nn"].Module
    while frame is not None:
        if frame.f_code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), base):
            return True
        if str(frame.f_globals.get("__name__", "")).startswith("torch.nn.utils.parametr"):
            return True
        frame = frame.f_back
    return False
