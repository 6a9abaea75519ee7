"""What is put into torch to see a training, and taken out again.

The root of a backward pass is a loss, the optimizers' hooks are the clock, and the first call of a module in a
step is its batch. That first call is seen by a global forward pre-hook which takes itself out again, so that the
calls inside of the model stay on torch's fast path.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from tensorpeek.probe.training.places import user_frame


class Events(Protocol):
    """Who is told. What these methods raise is the user's own wish, such as to end the program."""

    def root_called(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> None: ...
    def before_backward(self, roots: list[Any], retains_graph: bool, frame: FrameType | None) -> bool:
        """False leaves the backward pass out."""
        ...

    def after_backward(self) -> None: ...
    def backward_failed(self, error: BaseException) -> None: ...
    def gradients_ready(self, optimizer: Any, frame: FrameType | None) -> None: ...
    def weights_changed(self, optimizer: Any, frame: FrameType | None) -> None: ...
    def step_skipped(self, optimizer: Any, frame: FrameType | None) -> None: ...
    def scaled(self, scaler: Any, outputs: Any, result: Any) -> None: ...
    def batch_fetched(self, iterator: Any, is_first: bool) -> None: ...
    def indices_drawn(self, iterator: Any, indices: Any) -> None: ...
    def module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None: ...


class Hooks:
    """In torch between `install` and `remove`. Torch must be imported."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._removers: list[Callable[[], None]] = []
        self._pre_hooks: dict[Any, Any] = {}
        self._measuring: Any = None
        self._stepping = 0
        """Optimizers whose step runs; one that wraps another is told of alone."""
        self._backward_depth = 0
        self._steps_begun = 0

    @property
    def installed(self) -> bool:
        return bool(self._removers)

    def install(self) -> None:
        torch = sys.modules["torch"]
        module_file = sys.modules["torch.nn.modules.module"]
        optimizers = sys.modules["torch.optim.optimizer"]
        self._pre_hooks = module_file._global_forward_pre_hooks
        self._replace(torch.autograd, "backward", self._backward)
        for remove in (
            optimizers.register_optimizer_step_pre_hook(self._before_step).remove,
            optimizers.register_optimizer_step_post_hook(self._after_step).remove,
        ):
            self._removers.append(remove)
        scaler = getattr(sys.modules.get("torch.amp.grad_scaler"), "GradScaler", None)
        if scaler is not None:
            self._replace(scaler, "scale", self._scale)
            self._replace(scaler, "step", self._scaler_step)
        loader = getattr(sys.modules.get("torch.utils.data.dataloader"), "_BaseDataLoaderIter", None)
        if loader is not None:
            self._replace(loader, "__next__", self._next)
            self._replace(loader, "_next_index", self._next_index)
        self._removers.append(self.disarm)
        self.arm()

    def remove(self) -> None:
        self.measure(False)
        for remove in reversed(self._removers):
            remove()
        self._removers.clear()

    def arm(self) -> None:
        """Waits for the first call of a module."""
        self._pre_hooks[self] = self._root_call

    def disarm(self) -> None:
        self._pre_hooks.pop(self, None)

    def measure(self, wanted: bool) -> None:
        """Whether every module's return is told."""
        if wanted == (self._measuring is not None):
            return
        if wanted:
            register = sys.modules["torch.nn.modules.module"].register_module_forward_hook
            self._measuring = register(self._module_returned, with_kwargs=True)
        else:
            self._measuring.remove()
            self._measuring = None

    def _replace(self, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        """Puts `wrapper(original, *arguments)` in the place of an attribute, until `remove`."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return wrapper(original, *args, **kwargs) if self._removers else original(*args, **kwargs)

        def remove() -> None:
            # Who has wrapped ours meanwhile keeps it; it then only passes on.
            if getattr(owner, name) is replacement:
                setattr(owner, name, original)

        setattr(owner, name, replacement)
        self._removers.append(remove)

    def _root_call(self, module: Any, args: tuple[Any, ...]) -> None:
        torch = sys.modules["torch"]
        if not torch.is_grad_enabled() or torch._C._functorch.peek_interpreter_stack() is not None:
            return
        self.disarm()
        calling = sys._getframe(1)
        kwargs = calling.f_locals.get("kwargs", {}) if "kwargs" in _names(calling) else {}
        self._events.root_called(module, args, kwargs, user_frame(calling))

    def _module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        if not self._backward_depth:
            self._events.module_returned(module, args, kwargs, output)

    def _backward(self, original: Callable[..., Any], tensors: Any, *args: Any, **kwargs: Any) -> Any:
        # Inside of a backward pass it is a checkpoint that computes its part once more.
        if self._backward_depth:
            return original(tensors, *args, **kwargs)
        retains = args[1] if len(args) > 1 else kwargs.get("retain_graph")
        if retains is None:
            retains = args[2] if len(args) > 2 else kwargs.get("create_graph", False)
        roots = [tensors] if hasattr(tensors, "grad_fn") else list(tensors)
        if not self._events.before_backward(roots, bool(retains), user_frame(sys._getframe(2))):
            return None
        del roots
        self._backward_depth += 1
        try:
            return original(tensors, *args, **kwargs)
        except BaseException as error:
            self._events.backward_failed(error)
            raise
        finally:
            self._backward_depth -= 1
            self._events.after_backward()
            self.arm()

    def _before_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._stepping += 1
        self._steps_begun += 1
        if self._stepping > 1:
            return None
        frame = user_frame(sys._getframe(1))
        closure = next((value for value in (*args[1:2], kwargs.get("closure")) if callable(value)), None)
        if closure is None:
            self._events.gradients_ready(optimizer, frame)
            return None
        # The gradients come to be inside: Lightning trains in the closure, LBFGS calls it several times.
        is_told = False

        @functools.wraps(closure)
        def told(*inner: Any, **named: Any) -> Any:
            nonlocal is_told
            result = closure(*inner, **named)
            if not is_told:
                is_told = True
                self._events.gradients_ready(optimizer, frame)
            return result

        if kwargs.get("closure") is closure:
            return args, {**kwargs, "closure": told}
        return (args[0], told, *args[2:]), kwargs

    def _after_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._stepping = max(0, self._stepping - 1)
        if not self._stepping:
            self._events.weights_changed(optimizer, user_frame(sys._getframe(1)))
            self.arm()

    def _scale(self, original: Callable[..., Any], scaler: Any, outputs: Any) -> Any:
        result = original(scaler, outputs)
        self._events.scaled(scaler, outputs, result)
        return result

    def _scaler_step(
        self, original: Callable[..., Any], scaler: Any, optimizer: Any, *args: Any, **kwargs: Any
    ) -> Any:
        begun = self._steps_begun
        result = original(scaler, optimizer, *args, **kwargs)
        if self._steps_begun == begun:
            self._events.step_skipped(optimizer, user_frame(sys._getframe(2)))
            self.arm()
        return result

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        is_first = not getattr(iterator, "_num_yielded", 0)
        batch = original(iterator)
        self._events.batch_fetched(iterator, is_first)
        self.arm()
        return batch

    def _next_index(self, original: Callable[..., Any], iterator: Any) -> Any:
        indices = original(iterator)
        self._events.indices_drawn(iterator, indices)
        return indices


def _names(frame: FrameType) -> tuple[str, ...]:
    code = frame.f_code
    return code.co_varnames + code.co_cellvars + code.co_freevars
