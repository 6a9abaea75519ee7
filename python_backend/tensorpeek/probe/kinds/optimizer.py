"""Optimizers and what steers them: learning rates, steps, bytes of state."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Callable

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text, count_text
from tensorpeek.probe import raw
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes, attribute_rows, group, own_rows
from tensorpeek.probe.presentation import present
from tensorpeek.probe.statistics import scan_tensor
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.tensors.line import number

MOST_TENSORS = 100_000
"""Tensors of parameters, and as many of state, that are counted."""
MOST_RATES = 4


class OptimizerKind:
    """`Adam lr 0.001 step 12 650 params state 5.2 KB`."""

    presentation_kind: PresentationKind = "optimizer"

    def matches(self, cls: type) -> bool:
        return raw.is_optimizer(cls)

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        own = raw.attributes(value)
        groups = groups_of(own)
        words = [raw.class_name(type(value)), "lr", rates([each.get("lr") for each in groups])]
        state = own.get("state")
        states = list(state.values()) if isinstance(state, dict) else []
        step = last_step(states)
        if step is not None:
            words += ["step", number(step)]
        at_least, elements, _ = extent(each for held in groups for each in held.get("params", ()))
        words.append(f"{at_least}{count_text(elements)} params")
        if states:
            at_least, _, size = extent(
                each for held in states if isinstance(held, dict) for each in held.values()
            )
            words += ["state", f"{at_least}{bytes_text(size)}"]
        return present(" ".join(words), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        own = raw.attributes(value)
        rows = [
            Child(f"group {index}", held, f".param_groups[{index}]")
            for index, held in enumerate(groups_of(own))
        ]
        state = own.get("state")
        if isinstance(state, dict) and state:
            rows.append(group("state", partial(state_rows, state), label=f"of {len(state)} tensors"))
        rows += attribute_rows(value, "defaults")
        return [*rows, all_attributes(value)]


def groups_of(own: dict[str, Any]) -> list[dict[str, Any]]:
    groups = own.get("param_groups")
    return [held for held in groups if isinstance(held, dict)] if isinstance(groups, list) else []


def state_rows(state: dict[Any, Any]) -> list[Child]:
    return [Child(f"[{index}]", held, state_expression(index)) for index, held in enumerate(state.values())]


def state_expression(index: int) -> Callable[[str], str]:
    """The state is keyed by tensors, which can't be written down."""
    return lambda optimizer: f"list({optimizer}.state.values())[{index}]"


def rates(found: list[Any]) -> str:
    """The learning rate, or those of the first groups where they differ."""
    texts = [rate_text(rate) for rate in found]
    if len(set(texts)) <= 1:
        return texts[0] if texts else "?"
    return ", ".join(texts[:MOST_RATES]) + (", …" if len(texts) > MOST_RATES else "")


def rate_text(rate: Any) -> str:
    if isinstance(rate, (int, float)):
        return number(rate)
    value = single(rate)
    return "?" if value is None else number(value)


def single(tensor: Any) -> float | None:
    """The number in a tensor of one element, read without dispatching an operation."""
    if not raw.is_a(type(tensor), "torch.Tensor"):
        return None
    scan = scan_tensor(tensor) if tensor_facts(tensor).size == 1 else None
    if scan is None:
        return None
    scan.advance(Deadline.after(1))
    return scan.statistics.minimum


def last_step(states: list[Any]) -> float | None:
    """The highest step of the first few tensors, None where the optimizer keeps none."""
    steps: list[float] = []
    for held in states[:8]:
        step = held.get("step") if isinstance(held, dict) else None
        value = step if isinstance(step, (int, float)) else single(step)
        if value is not None:
            steps.append(int(value))
    return max(steps, default=None)


def extent(values: Iterable[Any]) -> tuple[str, int, int]:
    """The elements and bytes of the tensors among the values; `≥` before them where not all were counted.

    Asks torch itself and no subclass, which is many times quicker than all the facts.
    """
    tensors = (each for each in values if raw.is_a(type(each), "torch.Tensor"))
    core = sys.modules["torch"]._C
    base = core.TensorBase
    elements = size = 0
    with core.DisableTorchFunction(), core._DisableTorchDispatch():
        for tensor in islice(tensors, MOST_TENSORS):
            with suppress(Exception):  # a lazy module's parameter has no size yet
                elements += base.numel(tensor)
                size += base.numel(tensor) * base.element_size(tensor)
    return ("≥" if next(tensors, None) is not None else ""), elements, size


class SchedulerKind:
    """`StepLR lr 0.001 epoch 3`."""

    presentation_kind: PresentationKind = "optimizer"

    def matches(self, cls: type) -> bool:
        return raw.is_a(
            cls, "torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler",
            "torch.optim.lr_scheduler.ReduceLROnPlateau",
        )  # fmt: skip

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        own = raw.attributes(value)
        words = [raw.class_name(type(value))]
        last = own.get("_last_lr")
        if isinstance(last, list):
            words += ["lr", rates(last)]
        if isinstance(own.get("last_epoch"), int):
            words += ["epoch", str(own["last_epoch"])]
        return present(" ".join(words), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        return [*own_rows(value), all_attributes(value)]


class GradScalerKind:
    """`GradScaler scale 65536 3 of 2000 steps without overflow`."""

    presentation_kind: PresentationKind = "optimizer"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "torch.amp.grad_scaler.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        own = raw.attributes(value)
        name = raw.class_name(type(value))
        if not own.get("_enabled", True):
            return present(f"{name} off", self.presentation_kind)
        scale = single(own.get("_scale"))
        tracker = single(own.get("_growth_tracker"))
        words = [name, "scale", f"{own.get('_init_scale') if scale is None else scale:g}"]
        if scale is None:
            words.append("(not used yet)")
        elif tracker is not None:
            words.append(f"{int(tracker)} of {own.get('_growth_interval')} steps without overflow")
        return present(" ".join(words), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        names = (
            "_scale",
            "_growth_tracker",
            "_growth_factor",
            "_backoff_factor",
            "_growth_interval",
            "_enabled",
        )
        return [*attribute_rows(value, *names), all_attributes(value)]
