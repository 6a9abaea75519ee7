"""Chooses and tunes conditions for the models and the first steps that were seen, with reasons."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from tensorpeek.catalogue import conditions as known
from tensorpeek.catalogue.condition_info import ConditionInfo
from tensorpeek.contract.messages import Recommendation, Recommendations
from tensorpeek.probe.training.capsule import scalers
from tensorpeek.probe.training.figures import count

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

MOST_PARAMETERS = 20_000
FEW_STEPS = 10
NOISY = 0.3
"""A spread of the loss, as a share of its level, from which ordinary jumps look like spikes."""
RELUS = frozenset({"ReLU", "ReLU6", "Sigmoid", "Tanh", "Hardtanh", "Hardsigmoid"})


@dataclass
class Looked:
    """What was seen of the models."""

    layers: int = 0
    kinds: set[str] = field(default_factory=set)
    parameters: int = 0
    frozen: int = 0
    dtypes: set[str] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)


def recommend(training: Training) -> Recommendations:
    roots = training.models.roots()
    looked = _look(roots)
    chosen: list[Recommendation] = [
        {"condition": info.id, "settings": settings, "reason": reason}
        for info, settings, reason in _choose(training, looked)
    ]
    steps = training.clock.step
    named = ", ".join(
        f"{type(root).__name__} ({count(sum(1 for _ in root.children()), 'layer')})" for root in roots[:4]
    )
    basis = (
        f"{count(steps, 'step')} of {named}" if roots else "no model was called yet: what fits every model"
    )
    return {"recommendations": chosen, "basis": basis}


def _choose(training: Training, looked: Looked) -> Iterator[tuple[ConditionInfo, str, str]]:
    low = looked.dtypes & {"float16", "bfloat16"}
    yield known.NAN_LOSS, "", "The loss is looked at in every step and costs almost nothing."
    yield known.NAN_GRADIENT, "", "It stops before the weights are ruined, and names the operation."
    yield known.NAN_FORWARD, "", "It names the module that makes a NaN of finite inputs, on sampled steps."
    yield from _about_losses(training)
    norm = ""
    reason = "Gradients are compared with their own last norms."
    if "RNN" in looked.kinds or "LSTM" in looked.kinds or "GRU" in looked.kinds:
        norm, reason = "factor=10", "Recurrent layers multiply gradients over time: they explode early."
    yield known.EXPLODING_GRADIENT, norm, reason
    if looked.layers >= 4:
        yield (
            known.VANISHING_GRADIENT,
            "",
            f"With {looked.layers} layers, the gradients of the first ones may vanish.",
        )
    yield known.UPDATE_SIZE, "", "A wrong learning rate shows in the size of the updates first."
    activations = sorted(looked.kinds & RELUS)
    if activations:
        yield known.DEAD_ACTIVATION, "", f"The model has {', '.join(activations)}."
    unused = "All parameters should get gradients."
    if looked.frozen:
        unused = f"{count(looked.frozen, 'parameter')} frozen on purpose are left out of it."
    yield known.PARAMETER_UNUSED, "", unused
    frozen = "It tells when updates are lost"
    yield known.WEIGHTS_FROZEN, "", f"{frozen} in {', '.join(sorted(low))}." if low else f"{frozen}."
    yield known.BAD_INPUT, "", "A wrong row is named before the model sees it."
    devices = looked.devices - {"cpu", "meta"}
    if devices or low:
        where = ", ".join(sorted(devices | low))
        yield known.MIXED_DEVICE, "", f"The model is in {where}: inputs may be elsewhere."
        yield known.OUT_OF_MEMORY, "", "The largest tensors are listed by name when an allocation fails."
    yield known.SILENT_BROADCAST, "", "A loss of (N, 1) and (N,) is silent and wrong."
    if scalers():
        yield known.STEP_SKIPPED, "", "A GradScaler is in use."
    yield known.GRADIENTS_KEPT, "", "A missing zero_grad() is silent and wrong."
    if looked.kinds & {"Dropout", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"}:
        yield known.EVAL_MODE, "", "The model has layers that act otherwise in evaluation mode."
    yield known.LOSS_INPUT, "", "Logits and probabilities are easily mixed up."
    yield known.IDENTICAL_UNITS, "", "A constant initialization makes all units of a layer the same."
    yield known.GROWING_GRAPH, "", "A kept loss or hidden state makes memory grow with every step."


def _about_losses(training: Training) -> Iterator[tuple[ConditionInfo, str, str]]:
    if len(training.optimizers) > 1:
        reason = "Two optimizers play against each other: their losses jump, so the factor is higher."
        yield known.LOSS_SPIKE, "factor=16", reason
        return
    noise = max((_noise(list(values)) for values in training.losses.values()), default=0.0)
    if noise > NOISY:
        yield known.LOSS_SPIKE, "factor=12", f"The loss varies by {noise:.0%} from step to step."
    elif training.clock.step < FEW_STEPS:
        yield known.LOSS_SPIKE, "", "Too few steps were seen to tune it."
    else:
        yield known.LOSS_SPIKE, "", f"The loss varies by {noise:.0%} from step to step: the default fits."
    if training.clock.step >= FEW_STEPS:
        yield known.LOSS_PLATEAU, "", "There is one loss that should fall."


def _noise(values: list[float]) -> float:
    """The usual change from one value to the next, as a share of their level."""
    if len(values) < FEW_STEPS:
        return 0.0
    level = abs(statistics.median(values))
    changes = [abs(after - before) for before, after in zip(values, values[1:])]
    return statistics.median(changes) / level if level else 0.0


def _look(roots: list[Any]) -> Looked:
    looked = Looked()
    for root in roots:
        for module in root.modules():
            looked.kinds.add(type(module).__name__)
            looked.layers += any(True for _ in islice(module.parameters(recurse=False), 1))
        for parameter in islice(root.parameters(), MOST_PARAMETERS):
            looked.parameters += 1
            looked.frozen += not parameter.requires_grad
            looked.dtypes.add(str(parameter.dtype).rpartition(".")[2])
            looked.devices.add(parameter.device.type)
    return looked
