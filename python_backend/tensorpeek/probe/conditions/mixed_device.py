"""A tensor on another device or of another dtype than the weights that it meets."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe import raw
from tensorpeek.probe.conditions import mixed_operands
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.mixed_operands import Operand
from tensorpeek.probe.training.moments import Batch, Failure
from tensorpeek.probe.training.places import Place, place_of
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.tracebacks import users_frames
from tensorpeek.probe.training.user_values import is_tensor, value_of

MESSAGES = re.compile(
    r"same dtype|same device|scalar type|on device \S+ is not on the expected"
    r"|Input type .* and (weight|bias) type|dtypes? (of|for|must|do not) |expected m1 and m2"
    r"|to be on the same|different device|should be the same"
    r"|expected target dtype|Found dtype \S+ but expected|can't be cast to the desired output type"
    r"|one of the following scalar types"
)
OF_DEVICES = re.compile(r"\bon device |same device|different device|to be on the same")
OF_INTEGERS = re.compile(
    r"target dtype to be Long|scalar types?:? Long\b|expected .*\bLong\b.* found|types: Long"
)
"""Class numbers and indices that are none."""
OF_TARGETS = re.compile(r"expected target dtype|Found dtype|can't be cast|scalar type (Long|Int|Char|Byte)")
STRICT = frozenset(
    {
        *("Linear", "Bilinear", "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"),
        *(f"Conv{kind}{dims}d" for kind in ("", "Transpose") for dims in (1, 2, 3)),
    }
)
"""torch's own layers that take the dtype and device of their weight only."""


class MixedDevice(Condition):
    info = conditions.MIXED_DEVICE
    samples = frozenset({"on_batch"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._told: Place | None = None

    def on_batch(self, batch: Batch) -> Report | None:
        """Before a layer that is sure to refuse its input."""
        value: Any = batch.args[0] if batch.args else None
        layer = _first_layer(batch.module)
        if layer is None or not _is_plain(value) or batch.frame is None:
            return None
        weight: Any = next((each for each in layer.parameters() if _is_plain(each)), None)
        if weight is None or (value.device == weight.device and value.dtype == weight.dtype):
            return None
        if value.device == weight.device and _casts(value.device.type):
            return None
        self._told = place = place_of(batch.frame)
        operands = mixed_operands.of_line(batch.frame, batch.frame.f_lineno or 0)
        mine = [each for each in operands if each.value is value or each.value is batch.module]
        if not any(each.value is value for each in mine):
            mine.append(Operand("the input", value, value.dtype, value.device))
        if not any(each.value is batch.module for each in mine):
            name = type(batch.module).__name__
            mine.append(Operand(name, batch.module, weight.dtype, weight.device))
        return _report(batch.frame, [batch.frame], place, mine, "")

    def on_failure(self, failure: Failure) -> Report | None:
        text = str(failure.error)
        if not isinstance(failure.error, (RuntimeError, ValueError, TypeError)) or not MESSAGES.search(text):
            return None
        passed = users_frames(failure.traceback)
        if not passed or passed[-1][1] == self._told:
            return None
        frame, place = passed[-1]
        frames = [each for each, _ in reversed(passed)]
        operands = mixed_operands.no_integers(failure.traceback, frame) if OF_INTEGERS.search(text) else []
        operands = operands or _disagreeing(mixed_operands.of_line(frame, place.line), text)
        for given in () if operands else mixed_operands.given_to_library(failure.traceback):
            operands = operands or _disagreeing(given, text)
        return _report(frame, frames, place, operands, text) if operands else None


def _disagreeing(operands: list[Operand], text: str) -> list[Operand]:
    """Those that the error can be about; empty where they agree in what it complains of.

    Integers are labels and indices, which differ from the weights by nature, unless it is about a target.
    """
    if OF_DEVICES.search(text):
        return operands if len({each.device for each in operands}) > 1 else []
    floating = [each for each in operands if each.dtype.is_floating_point]
    if not OF_TARGETS.search(text) and len({each.dtype for each in floating}) > 1:
        return floating
    return operands if len({each.dtype for each in operands}) > 1 else []


def _first_layer(module: Any) -> Any:
    """The layer of torch's that gets the call's input as it is; None where anything else may convert it."""
    torch: Any = sys.modules["torch"]
    for _ in range(10):
        if module._forward_pre_hooks or "forward" in vars(module):
            return None
        if type(module) is torch.nn.Sequential and len(module):
            module = module[0]
            continue
        kind = type(module)
        is_strict = kind.__name__ in STRICT and kind.__module__.startswith("torch.nn.modules.")
        return module if is_strict else None
    return None


def _is_plain(value: Any) -> bool:
    torch: Any = sys.modules["torch"]
    return type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout is torch.strided


def _casts(device: str) -> bool:
    """Whether autocast brings both to one dtype."""
    torch: Any = sys.modules["torch"]
    try:
        return bool(torch.is_autocast_enabled(device))
    except TypeError:
        return bool(torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled())


def _report(
    frame: FrameType, frames: list[FrameType], place: Place | None, operands: list[Operand], text: str
) -> Report:
    devices = {str(each.device) for each in operands}
    dtypes = {str(each.dtype) for each in operands}
    by_device = len(devices) > 1
    said = "; ".join(each.on_device() if by_device else each.of_dtype() for each in operands)
    notes: list[str] = []
    related: list[Related] = []
    advice: list[str] = []
    for operand in operands:
        origin = mixed_operands.origin(frame, frames, operand)
        notes += [origin.text] if origin.text else []
        related += origin.related
        advice += origin.advice
    if OF_INTEGERS.search(text):
        advice = ["Class numbers, ids and indices are integers: long(), or torch.long where they are made."]
    elif OF_TARGETS.search(text):
        advice = ["Give the target the dtype that this loss wants: long() for class numbers, else float()."]
    if not advice:
        wanted = next((each for each in operands if not is_tensor(each.value)), operands[-1])
        others = [each.name for each in operands if each is not wanted and each.differs(wanted)]
        others = [name for name in others if value_of(frame, name) is not raw.MISSING]
        to = repr(str(wanted.device)) if by_device else str(wanted.dtype)
        advice = [f"{name} = {name}.to({to})" for name in others if name.replace(".", "").isidentifier()]
        advice = advice or [f"Bring all of them to one {'device' if by_device else 'dtype'} with to()."]
    return Report(
        "Tensors on different devices" if by_device else "Tensors of different dtypes",
        " ".join(
            [
                f"{said}.",
                *notes,
                *(
                    [f"torch says: {text.strip()}."]
                    if OF_TARGETS.search(text) or OF_INTEGERS.search(text)
                    else []
                ),
            ]
        ),
        place=place,
        evidence=[each.line() for each in operands] + ([text.partition(chr(10))[0][:300]] if text else []),
        next=advice,
        related=related,
        values={
            each.name: each.value for each in operands if is_tensor(each.value) and len(dtypes | devices) > 1
        },
    )
