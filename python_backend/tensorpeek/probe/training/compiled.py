"""Keeps hooks on modules out of what torch.compile traces: there they would break graphs and be compiled.

A compiled module that is called first in a step is told of before its compiled code runs. What happens inside
of it stays unseen.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from tensorpeek.probe.training.hooks import Hooks


class CompiledCalls:
    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.are_used = False
        """Whether the program compiles anything."""
        self._is_patched = False

    def install(self) -> None:
        torch = sys.modules["torch"]
        self._is_patched = False
        self._hooks.replace(torch, "compile", self._compile)
        self._hooks.replace(torch.nn.Module, "compile", self._compile_module)
        if _frames_compiled():
            self._begin()

    def _compile(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        self._begin()
        return result

    def _compile_module(self, original: Callable[..., Any], module: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(module, *args, **kwargs)
        compiled = module._compiled_call_impl
        if compiled is not None:
            module._compiled_call_impl = functools.partial(self._call, compiled, module, is_bound=True)
        return result

    def _begin(self) -> None:
        self.are_used = True
        self._hooks.measure(False)
        kind = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
        if kind is not None and not self._is_patched:
            self._is_patched = True
            self._hooks.replace(kind, "__call__", self._call)

    def _call(
        self, original: Callable[..., Any], module: Any, *args: Any, is_bound: bool = False, **kwargs: Any
    ) -> Any:
        armed = self._hooks.disarm()
        try:
            if armed and self._hooks.tell_root(module, args, kwargs):
                armed = False
            return original(*args, **kwargs) if is_bound else original(module, *args, **kwargs)
        finally:
            if armed:
                self._hooks.arm()


def _frames_compiled() -> bool:
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    return bool(counters.get("frames", {}).get("total"))
