"""Where the process cannot be copied: the model alone is run again, in place, and leaves things as they were.

Its buffers are copies meanwhile, gradients go to nobody, and the random generators get their state back. What
the user computed of the model's output is not run, since nothing could take its effects back.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Callable

from tensorpeek.probe.replay.copy_of_process import Answer, failure_text
from tensorpeek.probe.replay.givens import tensors_in
from tensorpeek.probe.replay.rerun import Finish, Outcome, restore_random_state
from tensorpeek.probe.replay.watch import Source, Watch
from tensorpeek.probe.training.step_record import StepRecord

SILENCERS: list[Callable[[], Callable[[], None]]] = []
"""Each makes its owner's hooks silent, and returns what makes them speak again."""


def run_in_place(record: StepRecord, phase: str, finish: Finish) -> Answer:
    """The answer of a run of the model; `failure` in it says why there is none."""
    watch = Watch(run_in_place.__code__)
    outcome = Outcome(watch, record)
    restorers = [silence() for silence in SILENCERS]
    try:
        with _random_states_kept(), sys.modules["torch"].enable_grad():
            restore_random_state(record.random_state)
            with watch.mode():
                _run(record, phase, outcome)
            return finish(outcome)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything, and so may a full device
        return {"failure": failure_text(error)}
    finally:
        for restore in restorers:
            restore()


def _run(record: StepRecord, phase: str, outcome: Outcome) -> None:
    torch = sys.modules["torch"]
    module = record.module
    if type(module).__name__ == "DistributedDataParallel":
        module = module.module  # by itself it waits for no other rank
    buffers = {name: buffer.clone() for name, buffer in module.named_buffers()}
    result = torch.func.functional_call(module, buffers, record.args, record.kwargs)
    outcome.roots = [tensor for _, tensor in tensors_in(result, "")]
    outcome.reached = _sources(outcome.watch, outcome.roots)
    if outcome.reached or phase == "forward":
        return
    roots = [root for root in outcome.roots if root.requires_grad]
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    if roots and weights:
        # How the loss weighs the outputs is not known; where a derivative is infinite, ones show it.
        ones = [torch.ones_like(root) for root in roots]
        gradients = torch.autograd.grad(roots, weights, ones, allow_unused=True)
        outcome.reached = _sources(outcome.watch, [one for one in gradients if one is not None])
        outcome.is_backward = True


def _sources(watch: Watch, tensors: list[Any]) -> frozenset[Source]:
    return frozenset(source for tensor in tensors for source in watch.sources_of(tensor))


@contextmanager
def _random_states_kept() -> Generator[None]:
    torch = sys.modules["torch"]
    random, numpy_random = sys.modules.get("random"), sys.modules.get("numpy.random")
    cpu = torch.get_rng_state()
    devices = torch.cuda.get_rng_state_all() if torch.version.cuda and torch.cuda.is_initialized() else []
    python = random.getstate() if random is not None else None
    numpy = numpy_random.get_state() if numpy_random is not None else None
    try:
        yield
    finally:
        torch.set_rng_state(cpu)
        if devices:
            torch.cuda.set_rng_state_all(devices)
        if random is not None and python is not None:
            random.setstate(python)
        if numpy_random is not None and numpy is not None:
            numpy_random.set_state(numpy)
