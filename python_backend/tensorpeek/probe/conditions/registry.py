"""The class of every training-wide condition, one to one with `catalogue.conditions`."""

from __future__ import annotations

from tensorpeek.probe.conditions.bad_input import BadInput
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.conditions.data_leak import DataLeak
from tensorpeek.probe.conditions.dead_activation import DeadActivation
from tensorpeek.probe.conditions.eval_mode import EvalMode
from tensorpeek.probe.conditions.exploding_gradient import ExplodingGradient
from tensorpeek.probe.conditions.gradients_kept import GradientsKept
from tensorpeek.probe.conditions.growing_graph import GrowingGraph
from tensorpeek.probe.conditions.identical_units import IdenticalUnits
from tensorpeek.probe.conditions.loss_input import LossInput
from tensorpeek.probe.conditions.loss_plateau import LossPlateau
from tensorpeek.probe.conditions.loss_spike import LossSpike
from tensorpeek.probe.conditions.mixed_device import MixedDevice
from tensorpeek.probe.conditions.mixing_reshape import MixingReshape
from tensorpeek.probe.conditions.nan_forward import NanForward
from tensorpeek.probe.conditions.nan_gradient import NanGradient
from tensorpeek.probe.conditions.nan_loss import NanLoss
from tensorpeek.probe.conditions.out_of_memory import OutOfMemory
from tensorpeek.probe.conditions.parameter_unused import ParameterUnused
from tensorpeek.probe.conditions.samples_replaced import SamplesReplaced
from tensorpeek.probe.conditions.shape_error import ShapeError
from tensorpeek.probe.conditions.silent_broadcast import SilentBroadcast
from tensorpeek.probe.conditions.step_skipped import StepSkipped
from tensorpeek.probe.conditions.update_size import UpdateSize
from tensorpeek.probe.conditions.vanishing_gradient import VanishingGradient
from tensorpeek.probe.conditions.weights_frozen import WeightsFrozen

CLASSES: tuple[type[Condition], ...] = (
    NanLoss,
    NanGradient,
    NanForward,
    LossSpike,
    ExplodingGradient,
    VanishingGradient,
    UpdateSize,
    DeadActivation,
    ParameterUnused,
    WeightsFrozen,
    LossPlateau,
    BadInput,
    MixedDevice,
    SilentBroadcast,
    ShapeError,
    OutOfMemory,
    StepSkipped,
    GradientsKept,
    EvalMode,
    LossInput,
    IdenticalUnits,
    GrowingGraph,
    MixingReshape,
    DataLeak,
    SamplesReplaced,
)
"""In the order of the check boxes."""
BY_ID = {cls.info.id: cls for cls in CLASSES}
