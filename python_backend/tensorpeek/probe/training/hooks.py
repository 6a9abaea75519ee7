"""What is put into torch to see a training, and taken out again.

The root of a backward pass is a loss, the optimizers' hooks are the clock, and the first call of a module in
a step is its batch. That first call is seen by a global forward pre-hook which takes itself out again, so
that the calls inside of the model stay on torch's fast path.
"""

from __future__ import annotations

import functools
import sys
import weakref
from threading import get_ident
from typing import Any, Callable

from tensorpeek.probe.training import scaling
from tensorpeek.probe.training.call_sites import keywords_of
from tensorpeek.probe.training.compiled import CompiledCalls
from tensorpeek.probe.training.events import Events
from tensorpeek.probe.training.places import user_frame
from tensorpeek.probe.training.running_step import RunningStep


class Hooks:
    """In torch between `install` and `remove`. Torch must be imported."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._removers: list[Callable[[], None]] = []
        self._pre_hooks: dict[Any, Any] = {}
        self._in_backward: set[int] = set()
        """Threads."""
        self._stepping: dict[int, RunningStep] = {}
        """By thread: the outermost step of an optimizer that runs."""
        self._steps_begun = 0
        self._left_out: weakref.WeakSet[Any] = weakref.WeakSet()
        """Scalers whose step the user did not want."""
        self.evaluated: set[int] = set()
        """The identities of the models whose calls without gradients are told."""
        self.compiled = CompiledCalls(self)
        self._core: Any = None
        self._tensor: type = object
        self._is_grad_enabled: Callable[[], bool] = bool

    @property
    def installed(self) -> bool:
        return bool(self._removers)

    def install(self) -> None:
        torch, modules = sys.modules["torch"], sys.modules
        self._core, self._tensor, self._is_grad_enabled = torch._C, torch.Tensor, torch.is_grad_enabled
        self._pre_hooks = modules["torch.nn.modules.module"]._global_forward_pre_hooks
        self._removers.append(lambda: self._pre_hooks.pop(self, None))
        self.compiled.install()
        self.replace(torch.autograd, "backward", self._backward)
        optimizers = modules["torch.optim.optimizer"]
        self._removers += (
            optimizers.register_optimizer_step_pre_hook(self._before_step).remove,
            optimizers.register_optimizer_step_post_hook(self._after_step).remove,
        )
        scaler = getattr(modules.get("torch.amp.grad_scaler"), "GradScaler", None)
        for name, wrapper in (
            ("scale", self._scale),
            ("step", self._scaler_step),
            ("update", self._scaler_update),
        ):
            self.replace(scaler, name, wrapper)
        loader = getattr(modules.get("torch.utils.data.dataloader"), "_BaseDataLoaderIter", None)
        for name, wrapper in (("__next__", self._next), ("_next_index", self._next_index)):
            self.replace(loader, name, wrapper)
        self.arm()

    def remove(self) -> None:
        self.measure(False)
        for remove in reversed(self._removers):
            remove()
        self._removers.clear()

    def arm(self) -> None:
        """Waits for the first call of a module."""
        self._pre_hooks[self] = self._root_call

    def disarm(self) -> bool:
        """Returns whether it was armed."""
        return self._pre_hooks.pop(self, None) is not None

    def silence(self) -> Callable[[], None]:
        """Sees no module until the function that this returns is called."""
        was_armed, was_measuring = self in self._pre_hooks, self._is_measuring()

        def speak() -> None:
            self.measure(was_measuring)
            if was_armed:
                self.arm()

        self.measure(False)
        self.disarm()
        return speak

    def measure(self, wanted: bool) -> None:
        """Whether every module's return is told."""
        modules = sys.modules.get("torch.nn.modules.module")
        if modules is None:
            return
        # Not by torch's function: what it notes of the keywords is never taken out again.
        if wanted and not self.compiled.are_used:
            modules._global_forward_hooks_with_kwargs[self] = True
            modules._global_forward_hooks[self] = self._module_returned
        else:
            modules._global_forward_hooks.pop(self, None)
            modules._global_forward_hooks_with_kwargs.pop(self, None)

    def _is_measuring(self) -> bool:
        modules = sys.modules.get("torch.nn.modules.module")
        return modules is not None and self in modules._global_forward_hooks

    def replace(self, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
        """Puts `wrapper(original, *arguments)` in the place of an attribute, until `remove`."""
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return wrapper(original, *args, **kwargs) if self._removers else original(*args, **kwargs)

        def remove() -> None:
            # Who has wrapped ours meanwhile keeps it; it then only passes on.
            if getattr(owner, name) is replacement:
                setattr(owner, name, original)

        setattr(owner, name, replacement)
        self._removers.append(remove)

    def _tell(self, event: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return event(*arguments)
        except Exception as error:  # noqa: BLE001  the program must not notice a fault of ours
            self._events.failed_inside(error)
            return None

    # Modules

    def _root_call(self, module: Any, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if not self._begins_step():
            if id(module) in self.evaluated and not self._is_grad_enabled():
                kwargs, caller = keywords_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
                self._tell(self._events.root_evaluated, module, args, kwargs, user_frame(caller))
            return None
        self._pre_hooks.pop(self, None)
        kwargs, caller = keywords_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return self._tell(self._events.root_called, module, args, kwargs, user_frame(caller))

    def tell_root(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tells of the call of a root that no hook sees. Returns whether it begins a step."""
        if not self._removers or not self._begins_step():
            return False
        self._tell(self._events.root_called, module, args, kwargs, user_frame())
        return True

    def _begins_step(self) -> bool:
        """A pass of evaluation, or one inside of functorch, is not the beginning of a step."""
        return self._is_grad_enabled() and self._core._functorch.peek_interpreter_stack() is None

    def _module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        if self._core._functorch.peek_interpreter_stack() is None:
            self._tell(self._events.module_returned, module, args, kwargs, output)

    # The backward pass

    def _backward(self, original: Callable[..., Any], tensors: Any, *args: Any, **kwargs: Any) -> Any:
        thread = get_ident()
        # Inside of a backward pass it is a checkpoint that computes its part once more.
        if thread in self._in_backward or self._core._current_autograd_node() is not None:
            return original(tensors, *args, **kwargs)
        roots = [tensors] if isinstance(tensors, self._tensor) else list(tensors)
        if self._tell(self._events.before_backward, roots, _retains(args, kwargs), user_frame()) is False:
            return None
        del roots
        self._in_backward.add(thread)
        try:
            return original(tensors, *args, **kwargs)
        finally:
            self._in_backward.discard(thread)
            self._tell(self._events.after_backward)
            self.arm()

    # The optimizer's step

    def _before_step(self, optimizer: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        self._steps_begun += 1
        calling = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        thread = get_ident()
        outer = self._stepping.get(thread)
        if outer is not None and outer.is_around(calling):
            return None
        step = self._stepping[thread] = RunningStep(id(calling), optimizer)
        if scaling.leaves_out(optimizer):
            step.is_left_out = True
            return None
        closure = args[1] if len(args) > 1 and callable(args[1]) else kwargs.get("closure")
        if closure is None:
            if self._tell(self._events.gradients_ready, optimizer) is False:
                step.hide_gradients()
            return None
        # The gradients come to be inside: Lightning trains in the closure, LBFGS calls it several times.
        is_told = False

        @functools.wraps(closure)
        def told(*inner: Any, **named: Any) -> Any:
            nonlocal is_told
            result = closure(*inner, **named)
            if not is_told:
                is_told = True
                if self._tell(self._events.gradients_ready, optimizer) is False:
                    step.hide_gradients()
            return result

        if kwargs.get("closure") is closure:
            return args, {**kwargs, "closure": told}
        return (args[0], told, *args[2:]), kwargs

    def _after_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        thread = get_ident()
        step = self._stepping.get(thread)
        if step is None or step.optimizer is not optimizer:
            return
        del self._stepping[thread]
        if step.hidden:
            step.show_gradients()
        event = self._events.step_skipped if step.is_left_out else self._events.weights_changed
        self._tell(event, optimizer)
        self.arm()

    # Mixed precision

    def _scale(self, original: Callable[..., Any], scaler: Any, outputs: Any) -> Any:
        result = original(scaler, outputs)
        self._tell(self._events.scaled, scaler, outputs, result)
        return result

    def _scaler_step(
        self, original: Callable[..., Any], scaler: Any, optimizer: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if self._tell(self._events.leaves_out_step):
            self._left_out.add(scaler)
            return None
        begun = self._steps_begun
        result = original(scaler, optimizer, *args, **kwargs)
        if self._steps_begun == begun:
            self._tell(self._events.step_skipped, optimizer)
            self.arm()
        return result

    def _scaler_update(self, original: Callable[..., Any], scaler: Any, *args: Any, **kwargs: Any) -> Any:
        # It would complain that no step has looked for infinities.
        if scaler in self._left_out:
            self._left_out.discard(scaler)
            return None
        return original(scaler, *args, **kwargs)

    # Data

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        is_first = not getattr(iterator, "_num_yielded", 0)
        batch = original(iterator)
        self._tell(self._events.batch_fetched, iterator, is_first, batch)
        self.arm()
        return batch

    def _next_index(self, original: Callable[..., Any], iterator: Any) -> Any:
        indices = original(iterator)
        self._tell(self._events.indices_drawn, iterator, indices)
        return indices


def _retains(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether `backward(…)` leaves its graph alive; it takes gradients, retain_graph and create_graph."""
    retains = args[1] if len(args) > 1 else kwargs.get("retain_graph")
    if retains is None:
        retains = args[2] if len(args) > 2 else kwargs.get("create_graph", False)
    return bool(retains)
