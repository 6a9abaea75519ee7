"""torch's global hooks on modules, which are there only while there is a breakpoint for them.

The gradient is awaited by a hook on the output's tensors, not by torch's full backward hook: that makes each
output a view, and a program that changes one in place, as `nn.ReLU(inplace=True)` does, would fail.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Callable

Called = Callable[[Any, "tuple[Any, ...]", "dict[str, Any]", Any], None]
CONTAINERS_DEEP = 3


class ModuleHooks:
    def __init__(self, before: Callable[[Any], None], after: Called) -> None:
        self._before = before
        self._after = after
        self._handles: list[Any] = []

    def install(self) -> None:
        """torch must be there."""
        if not self._handles:
            modules = sys.modules["torch.nn.modules.module"]
            self._handles = [
                modules.register_module_forward_pre_hook(self._about_to_call),
                modules.register_module_forward_hook(self._called, with_kwargs=True),
            ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _about_to_call(self, module: Any, args: tuple[Any, ...]) -> None:
        if not is_being_compiled():
            self._before(module)

    def _called(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        if not is_being_compiled():
            self._after(module, args, kwargs, output)


def is_being_compiled() -> bool:
    """Whether torch looks at the program for a graph of its own: then there are no values to look at."""
    torch: Any = sys.modules["torch"]
    return bool(
        torch.compiler.is_compiling()
        or torch.jit.is_tracing()
        or torch._C._functorch.peek_interpreter_stack() is not None
    )


def tensors_in(value: Any, depth: int = CONTAINERS_DEEP) -> Iterator[Any]:
    """The tensors in a module's output, which may be in containers."""
    if isinstance(value, sys.modules["torch"].Tensor):
        yield value
    elif depth and isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in list(value.values()):
            yield from tensors_in(item, depth - 1)


def on_gradient(output: Any, callback: Callable[[Any], None]) -> None:
    """Calls back once, with the gradient that comes first to one of the output's tensors."""
    has_come = False

    def tell(gradient: Any) -> None:
        nonlocal has_come
        if not has_come:
            has_come = True
            callback(gradient)

    for tensor in tensors_in(output):
        if tensor.requires_grad:
            tensor.register_hook(tell)
