"""Traces a call without data, with the batch as a symbol; where that fails, with less, and then for real."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Literal

from tensorpeek.probe.quiet import ignored_warnings
from tensorpeek.probe.shapes.call import Call, Role, Target, batch_of, length_of
from tensorpeek.probe.shapes.model_copy import with_tensors
from tensorpeek.probe.shapes.time_limit import TooLong, limited
from tensorpeek.probe.shapes.watched import Watched

Source = Literal["fake", "pair", "real"]
Watch = Callable[[Call], AbstractContextManager[Watched]]
"""Sees what runs in it."""
LONGEST = 300
SECONDS_WITH_SYMBOLS = 10.0
"""BERT-base takes two. What takes longer is traced with numbers, in a tenth of the time."""
SECONDS_OF_ATTEMPT = 20.0
"""Without symbols, and for real."""


@dataclass(frozen=True)
class Outcome:
    """One attempt."""

    seen: Watched | None
    source: Source
    roles: dict[str, Role] = field(default_factory=dict[str, Role])
    """By torch's name of the symbol."""
    error: BaseException | None = None
    batch: int = 0
    problem: str = ""
    """For the user."""
    second: Outcome | None = None
    """The same with one sample less, where the batch is no symbol."""
    shorter: Outcome | None = None
    """The same with times that are shorter by one, where these are no symbols."""
    length: int = 0


def trace(target: Target, watch: Watch, may_run: bool = True) -> Outcome:
    """The best that there is. What the model raises ends in `problem`; what is of ours, too."""
    outcomes: list[Outcome] = []
    for symbolic_dims in (2, 1, 0) if length_of(target.args, target.kwargs) else (1, 0):
        if symbolic_dims and outcomes and isinstance(outcomes[-1].error, TooLong):
            continue
        outcome = _without_data(target, watch, symbolic_dims)
        if outcome.error is None:
            return _with_followers(target, watch, outcome)
        outcomes.append(outcome)
    first, static = outcomes[0], outcomes[-1]
    if not may_run:
        return replace(first, problem=said(first.error))
    real = _for_real(target, watch)
    if real.error is None:
        return _paired(target, watch, real, why=f"It can't run without data: {said(static.error)}")
    if type(first.error) is type(real.error):
        # The model's own fault, which shows without data as well, and there in names.
        real = first
    return replace(real, problem=said(real.error))


def _with_followers(target: Target, watch: Watch, outcome: Outcome) -> Outcome:
    """Where there is no symbol, or the model has made a number of it, another pass shows what follows it."""
    symbols = {role.name for role in outcome.roles.values() if role.is_symbol()}
    batch, length = batch_of(target.args, target.kwargs), length_of(target.args, target.kwargs)
    if "B" not in symbols and batch > 1:
        second = _without_data(_cut(target, 0, batch), watch, 0)
        if second.error is None:
            outcome = replace(outcome, batch=batch, second=second)
    if "T" not in symbols and length > 1:
        shorter = _without_data(_cut(target, 1, length), watch, 0)
        if shorter.error is None:
            outcome = replace(outcome, length=length, shorter=shorter)
    return outcome


def _without_data(target: Target, watch: Watch, symbolic_dims: int) -> Outcome:
    seen: Watched | None = None
    roles: dict[str, Role] = {}
    seconds = SECONDS_WITH_SYMBOLS if symbolic_dims else SECONDS_OF_ATTEMPT
    began = time.monotonic()
    try:
        mode = _fake_mode()
        with quiet_torch():
            call, roles = target.without_data(mode, symbolic_dims)
            # What is watched inside of the mode sees the ops as the program calls them.
            with mode, watch(call) as seen, limited(seconds):
                call.run()
    except TooLong as error:
        if time.monotonic() - began < seconds:  # the limit is another's
            raise
        return Outcome(seen, "fake", roles, error)
    except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
        return Outcome(seen, "fake", roles, error)
    return Outcome(seen, "fake", roles)


def _fake_mode() -> Any:
    """A FakeTensorMode in which sizes can be symbols. Raises KeyError where torch does not have it."""
    kind: Any = sys.modules["torch._subclasses.fake_tensor"].FakeTensorMode
    # The first mode makes torch load what it needs for symbols.
    kind()
    symbolic: Any = sys.modules["torch.fx.experimental.symbolic_shapes"]

    class Symbols(symbolic.ShapeEnv):
        def _get_user_frame(self) -> None:
            """Nobody asks where a size was compared, and torch would load half of its compiler to say it."""

    # Sizes that are equal by chance, as of 16 rows of 16 tokens, are two symbols.
    return kind(allow_non_fake_inputs=True, shape_env=Symbols(duck_shape=False))


def _for_real(target: Target, watch: Watch) -> Outcome:
    seen: Watched | None = None
    began = time.monotonic()
    try:
        with quiet_torch():
            call = target.real()
            with watch(call) as seen, limited(SECONDS_OF_ATTEMPT):
                call.run()
    except TooLong as error:
        if time.monotonic() - began < SECONDS_OF_ATTEMPT:  # the limit is another's
            raise
        return Outcome(seen, "real", error=error)
    except Exception as error:  # noqa: BLE001  whatever the user's code raises is told
        return Outcome(seen, "real", error=error)
    return Outcome(seen, "real", batch=batch_of(target.args, target.kwargs))


def _paired(target: Target, watch: Watch, real: Outcome, why: str) -> Outcome:
    """A second pass with one sample less shows which dims follow the batch."""
    if real.batch >= 3:
        second = _for_real(_cut(target, 0, real.batch), watch)
        if second.error is None:
            return replace(real, source="pair", problem=why, second=second)
    return replace(real, problem=why)


def _cut(target: Target, dim: int, size: int) -> Target:
    """With inputs that are smaller by one where they have this size."""

    def one(value: Any) -> Any:
        return value.narrow(dim, 0, size - 1) if value.dim() > dim and value.shape[dim] == size else value

    args, kwargs = with_tensors((target.args, target.kwargs), one)
    return replace(target, args=args, kwargs=kwargs)


@contextlib.contextmanager
def quiet_torch() -> Generator[None]:
    """No graph, the same random numbers afterwards, compiled functions as they are written."""
    torch = sys.modules["torch"]
    with contextlib.ExitStack() as stack:
        stack.enter_context(ignored_warnings())
        stack.enter_context(torch.no_grad())
        is_on_gpu = torch.cuda.is_available() and torch.cuda.is_initialized()
        devices = list(range(torch.cuda.device_count())) if is_on_gpu else []
        stack.enter_context(torch.random.fork_rng(devices))
        stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
        if stance is not None:
            stack.enter_context(stance("force_eager"))
        stack.enter_context(_layers_as_written())
        stack.enter_context(_without_log())
        yield


@contextlib.contextmanager
def _without_log() -> Generator[None]:
    """Torch writes down each operation that fails without data, which the trace tells itself."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    was_off, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_off


@contextlib.contextmanager
def _layers_as_written() -> Generator[None]:
    """Torch's own transformer layers do without an op for the whole layer, of which a trace sees nothing.

    Without data, that op also gives an empty tensor where it gives None.
    """
    backend: Any = getattr(sys.modules["torch"].backends, "mha", None)
    was_on = backend is not None and backend.get_fastpath_enabled()
    if backend is not None and was_on:
        backend.set_fastpath_enabled(False)
    try:
        yield
    finally:
        if backend is not None and was_on:
            backend.set_fastpath_enabled(True)


def said(error: BaseException | None) -> str:
    """As `RuntimeError: mat1 and mat2 …`."""
    if isinstance(error, TooLong):
        return "it took too long"
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text[:LONGEST]}{'…' if len(text) > LONGEST else ''}" if text else name
