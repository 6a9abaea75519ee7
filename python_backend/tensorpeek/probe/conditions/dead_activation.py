"""Units that never fire, and activations that sit in their flat ends."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import is_at_hand, numbers_of
from tensorpeek.probe.training.figures import share
from tensorpeek.probe.training.moments import Loss, ModuleCall
from tensorpeek.probe.training.parameters import is_matrix, is_plain
from tensorpeek.probe.training.places import place_of
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.tensors_in import tensors_in

RECTIFIERS = {"ReluBackward0": "ReLU", "HardtanhBackward0": "ReLU6", "ThresholdBackward0": "ReLU"}
SATURATING = {"TanhBackward0": (-0.99, 0.99, "tanh"), "SigmoidBackward0": (0.01, 0.99, "sigmoid")}
TRANSPARENT = frozenset(
    f"{name}Backward{number}"
    for number in "0123"
    for name in (
        "View", "UnsafeView", "ReshapeAlias", "Transpose", "Permute", "Clone", "Squeeze", "Unsqueeze", "T",
        "NativeDropout", "MaxPool2DWithIndices", "MaxPool3DWithIndices", "Mean", "AvgPool2D", "ToCopy",
    )
)  # fmt: skip
"""What a unit that is always zero passes as zero."""
FARTHEST = 6
"""Operations between an activation and the layer that is fed by it."""
FEWEST_ROWS = 64
PROGRESS = 0.5


@dataclass
class Watched:
    """What is known of one activation since its count began."""

    batches: int = 0
    rows: int = 0
    fired: Any = None
    """For each unit, whether it was ever positive."""
    flat: int = 0
    """Batches in a row in which most elements were saturated."""
    is_known: bool = False
    """It was told, and has not recovered since."""

    def is_new(self, holds: bool) -> bool:
        """Whether it holds, and was not told before."""
        is_new = holds and not self.is_known
        self.is_known = holds
        return is_new


class DeadActivation(Condition):
    """Looks at what a layer with weights is fed with, and asks its graph which activation made it.

    So functional activations are seen too, and an activation at the end of a model, where sigmoid and tanh
    are meant to be near their ends, is not judged; only a ReLU there that gives nothing but zeros is.
    """

    info = conditions.DEAD_ACTIVATION
    samples = frozenset({"on_module"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._watched: dict[tuple[str, str], Watched] = {}
        self._losses: dict[str, tuple[float, float]] = {}
        """The first and the last value of each loss."""
        self._made: dict[int, str] = {}
        """The names of the activation modules of this forward, by the id of their output."""

    def on_loss(self, loss: Loss) -> None:
        if loss.value is None:
            return
        first, _ = self._losses.get(loss.name, (loss.value, 0.0))
        self._losses[loss.name] = (first, loss.value)

    def _is_learning(self) -> bool:
        """Whether a loss has fallen to less than half: some networks live well with units at the ends."""
        return any(now < PROGRESS * first for first, now in self._losses.values() if first > 0)

    def on_module(self, call: ModuleCall) -> Report | None:
        output = next((tensor for _, tensor in tensors_in(call.output)), None)
        if output is None:
            return None
        report = None
        if not call.name:
            report = self._judge_end(call, output)
            self._made.clear()
        elif any(parameter is not None and is_matrix(parameter) for parameter in _own(call.module)):
            fed = next((tensor for _, tensor in tensors_in(call.args)), None)
            if fed is not None:
                report = self._judge(call, fed)
        else:
            self._made[id(output)] = call.name
        return report

    def _judge(self, call: ModuleCall, fed: Any) -> Report | None:
        node = _activation(fed)
        if node is None or not _is_finite(fed.detach()):
            return None
        name = node.name()
        watched = self._watched.setdefault((call.name, name), Watched())
        if name in SATURATING:
            return self._judge_flat(call, watched, fed, name)
        units = _units(fed.detach(), call.module)
        dead = self._dead(watched, units)
        if dead is None or not watched.is_new(dead >= self.settings["share"]):
            return None
        what = self._named(fed, call, RECTIFIERS[name])
        return Report(
            "Dead ReLU",
            f"Dead ReLU: {share(dead)} of the {units.shape[1]:,} units of {what} were zero for every input "
            f"of {watched.batches:g} batches ({watched.rows:,} rows). A unit that never fires gets no "
            "gradient and cannot come back.",
            place=place_of(call.frame),
            module=call.name,
            value=dead,
            threshold=self.settings["share"],
            next=[
                "Lower the learning rate: a step that was too large may have pushed the biases far below "
                "zero.",
                "Use LeakyReLU or GELU, or initialize the biases with zero.",
            ],
            values={"activation": fed},
        )

    def _judge_end(self, call: ModuleCall, output: Any) -> Report | None:
        node = _activation(output)
        if node is None or node.name() not in RECTIFIERS or not _is_finite(output.detach()):
            return None
        units = output.detach().reshape(output.shape[0] if output.dim() > 1 else -1, -1)
        watched = self._watched.setdefault(("", node.name()), Watched())
        dead = self._dead(watched, units)
        if dead is None or not watched.is_new(dead == 1):
            return None
        return Report(
            "Dead ReLU",
            f"Dead ReLU: the model ends with a {RECTIFIERS[node.name()]}, and its output was zero everywhere "
            f"for {self.whole('window'):,} batches. So nothing in the model gets a gradient.",
            place=place_of(call.frame),
            value=1.0,
            threshold=self.settings["share"],
            next=["Leave the last activation out, or use softplus where outputs must be positive."],
            values={"output": output},
        )

    def _dead(self, watched: Watched, units: Any) -> float | None:
        """The share of units that never fired, once enough was seen; None before."""
        fired = (units > 0).any(0)
        if watched.fired is None or watched.fired.shape != fired.shape:
            watched.fired, watched.batches, watched.rows = fired, 0, 0
        else:
            watched.fired |= fired
        watched.batches += 1
        watched.rows += units.shape[0]
        if watched.batches < self.whole("window") or watched.rows < FEWEST_ROWS:
            return None
        dead = numbers_of(1 - watched.fired.float().mean(), f"dead units {id(watched)}")
        watched.fired = None
        return None if dead is None else dead[0]

    def _judge_flat(self, call: ModuleCall, watched: Watched, fed: Any, name: str) -> Report | None:
        low, high, word = SATURATING[name]
        outputs = fed.detach()
        read = numbers_of(((outputs <= low) | (outputs >= high)).float().mean(), f"flat {id(watched)}")
        if read is None:
            return None
        flat = read[0]
        is_flat = flat >= self.settings["saturated"] and not self._is_learning()
        watched.flat = watched.flat + 1 if is_flat else 0
        rows = watched.flat
        if not watched.is_new(rows >= self.whole("window")):
            return None
        what = self._named(fed, call, word)
        return Report(
            "Saturated activation",
            f"Saturated activation: {share(flat)} of the outputs of {what} are at its flat ends (below "
            f"{low:g} or above {high:g}), in {rows:g} measured batches in a row. Its slope there is almost "
            "0, so the layers before it hardly learn.",
            place=place_of(call.frame),
            module=call.name,
            value=flat,
            threshold=self.settings["saturated"],
            next=[
                "Look at the size of what goes in: scale the inputs, or initialize the weights smaller.",
                "A normalization layer before the activation keeps it in its middle.",
            ],
            values={"activation": fed},
        )

    def _named(self, fed: Any, call: ModuleCall, word: str) -> str:
        made = self._made.get(id(fed))
        return f"`{made}` ({word})" if made else f"the {word} before `{call.name}`"


def _is_finite(tensor: Any) -> bool:
    """Whether neither NaN nor Inf make the comparison say too much; on a device, that is not waited for."""
    return is_plain(tensor) and (not is_at_hand(tensor) or math.isfinite(tensor.sum().item()))


def _own(module: Any) -> Any:
    return module._parameters.values()


def _activation(tensor: Any) -> Any:
    """The node of the activation that a tensor comes from, through what keeps zeros and signs."""
    node = tensor.grad_fn
    for _ in range(FARTHEST):
        if node is None:
            return None
        name = node.name()
        if name in RECTIFIERS or name in SATURATING:
            return node
        sources = [source for source, _ in node.next_functions if source is not None]
        if len(sources) != 1 or not (name in TRANSPARENT or name == "MulBackward0"):
            return None
        node = sources[0]
    return None


def _units(tensor: Any, module: Any) -> Any:
    """(rows, units): a convolution's units are its channels, those of a linear layer the last dimension."""
    torch = sys.modules["torch"]
    is_convolution = isinstance(module, torch.nn.modules.conv._ConvNd)
    dimensions = len(getattr(module, "kernel_size", ())) if is_convolution else 0
    if is_convolution and tensor.dim() == dimensions + 2:
        tensor = tensor.movedim(1, -1)
    return tensor.reshape(-1, tensor.shape[-1])
