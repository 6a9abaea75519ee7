"""The rules, in the order in which they are asked."""

from __future__ import annotations

from tensorpeek.probe.shapes.remarks.batch_softmax import BatchSoftmax
from tensorpeek.probe.shapes.remarks.loss_classes import LossClasses
from tensorpeek.probe.shapes.remarks.mixing_reshape import MixingReshape
from tensorpeek.probe.shapes.remarks.rule import Rule
from tensorpeek.probe.shapes.remarks.silent_broadcast import SilentBroadcast

RULES: tuple[type[Rule], ...] = (SilentBroadcast, MixingReshape, LossClasses, BatchSoftmax)
"""Of one expression, the first that finds something is heard."""
