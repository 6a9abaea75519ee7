"""In the copy of the process: runs the step under a watch, and answers at its backward pass."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any, Callable

from tensorpeek.probe.replay.copy_of_process import Answer, answer
from tensorpeek.probe.replay.givens import tensors_in
from tensorpeek.probe.replay.values import is_float
from tensorpeek.probe.replay.watch import Source, Watch
from tensorpeek.probe.training.step_record import StepRecord

MOST_NODES = 100_000


class Outcome:
    """What a step that was run again has shown."""

    def __init__(self, watch: Watch, record: StepRecord) -> None:
        self.watch = watch
        self.record = record
        self.names: dict[str, Any] = {}
        """The variables of the user's function."""
        self.roots: list[Any] = []
        self.loss: float | None = None
        self.reached: frozenset[Source] = frozenset()
        """The sources of what is not finite in the loss, or in a gradient."""
        self.is_backward = False
        """Whether the loss was finite, and a gradient was not."""
        self.failure = ""

    @property
    def is_exact(self) -> bool:
        """Whether the loss is the same as in the real step, but for a power of two from a GradScaler."""
        was, now = self.record.loss, self.loss
        if was is None or now is None:
            return False
        if not (math.isfinite(was) and math.isfinite(now)):
            return math.isnan(was) == math.isnan(now) and not (math.isfinite(was) or math.isfinite(now))
        if math.isclose(was, now, rel_tol=1e-5, abs_tol=1e-9):
            return True
        return was != 0 and now / was > 1 and math.isclose(math.frexp(now / was)[0], 0.5, rel_tol=1e-5)


Finish = Callable[[Outcome], Answer]


class Rerun:
    """One run of the step in the copy. `finish` makes the answer of what was seen."""

    def __init__(self, record: StepRecord, finish: Finish) -> None:
        self.record = record
        self._finish = finish
        self.torch = sys.modules["torch"]
        self.watch = Watch(Rerun.run.__code__, Rerun._backward.__code__)
        self.outcome = Outcome(self.watch, record)
        self._real_backward = _unwrapped(self.torch.autograd.backward)

    def run(self, steps: Callable[[Rerun], Any]) -> Answer:
        """Runs the user's code; comes back only where that makes no backward pass."""
        torch = self.torch
        _keep_to_this_process(self.record.module)
        torch.autograd.backward = self._backward
        torch.autograd.grad = _unwrapped(torch.autograd.grad)
        if self.record.module is not None:
            self._handle = self.record.module.register_forward_pre_hook(self._at_root, with_kwargs=True)
        with torch.enable_grad(), self.watch.mode():
            result = steps(self)
            self.backward_of(result)
            if not self.outcome.reached:
                unfinished = [source for source in self.watch.sources if not source.hidden_by]
                self.outcome.reached = frozenset(unfinished)
            return self._answer()

    def backward_of(self, result: Any) -> None:
        """The backward pass of what a model or a user's function returned, if that holds a loss."""
        tensors = [tensor for _, tensor in tensors_in(_loss_in(result), "")]
        roots = [tensor for tensor in tensors if tensor.requires_grad]
        if roots:
            self._backward(roots, [self.torch.ones_like(root) for root in roots])
        self.outcome.reached = self._sources(tensors)

    def _at_root(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """At the first call of the model: its inputs and the random state are those of the real step."""
        self._handle.remove()
        record = self.record
        with self.watch.paused():
            restore_random_state(record.random_state)
            return None if same(args, record.args) else (record.args, {**kwargs, **record.kwargs})

    def _backward(self, tensors: Any, grad_tensors: Any = None, *args: Any, **kwargs: Any) -> None:
        """Stands for `torch.autograd.backward`."""
        outcome = self.outcome
        outcome.roots = [tensors] if isinstance(tensors, self.torch.Tensor) else list(tensors)
        root = outcome.roots[0]
        with self.watch.paused():
            outcome.loss = root.detach().float().item() if root.numel() == 1 else None
        outcome.reached = self._sources(outcome.roots)
        if not outcome.reached:
            leaves = list(leaves_of(outcome.roots))
            for leaf in leaves:
                leaf.grad = None
            try:
                self._real_backward(tensors, grad_tensors, *args, **kwargs)
            except RuntimeError as error:
                outcome.failure = str(error).splitlines()[0]
            outcome.reached = self._sources([_dense(leaf.grad) for leaf in leaves])
            outcome.is_backward = True
        answer(self._answer())

    def _answer(self) -> Answer:
        with self.watch.paused():
            return self._finish(self.outcome)

    def _sources(self, tensors: list[Any]) -> frozenset[Source]:
        found: frozenset[Source] = frozenset()
        for tensor in tensors:
            found |= self.watch.sources_of(tensor)
        return found


def restore_random_state(state: Any) -> None:
    if hasattr(state, "restore"):
        state.restore()
    elif state is not None:
        sys.modules["torch"].set_rng_state(state)


def leaves_of(roots: list[Any]) -> Iterator[Any]:
    """The tensors whose `.grad` a backward pass from the roots fills."""
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen = set(waiting)
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if hasattr(node, "variable"):
            yield node.variable
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)


def same(a: Any, b: Any) -> bool:
    """Whether two batches hold equal tensors; NaN is equal to NaN."""
    torch = sys.modules["torch"]
    if isinstance(a, torch.Tensor):
        if a is b:
            return True
        if not isinstance(b, torch.Tensor) or a.shape != b.shape or a.dtype != b.dtype:
            return False
        return not is_float(a) or bool(torch.equal(a.nan_to_num(), b.nan_to_num()))
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(same, a, b))
    return True


def _loss_in(result: Any) -> Any:
    """What the libraries that call a user's step take for its loss."""
    if isinstance(result, dict):
        return result.get("loss", result)
    loss = getattr(result, "loss", None)
    if loss is not None:
        return loss
    if isinstance(result, (tuple, list)) and result and is_float(result[0]) and result[0].numel() == 1:
        return result[0]
    return result


def _dense(gradient: Any) -> Any:
    return gradient._values() if gradient is not None and gradient.is_sparse else gradient


def _unwrapped(function: Any) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _keep_to_this_process(module: Any) -> None:
    """Nothing waits for another process or compiles anything."""
    torch = sys.modules["torch"]
    if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
        torch.compiler.set_stance("force_eager")
    for part in module.modules() if module is not None else ():
        if type(part).__name__ == "DistributedDataParallel":
            part.require_backward_grad_sync = part.require_forward_param_sync = False
