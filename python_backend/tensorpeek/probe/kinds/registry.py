"""The list of kinds, and which of them a class is of."""

from __future__ import annotations

from tensorpeek.probe.kinds.container import ContainerKind
from tensorpeek.probe.kinds.data import DataLoaderKind, DatasetKind
from tensorpeek.probe.kinds.frame import FrameKind, IndexKind, SeriesKind
from tensorpeek.probe.kinds.kind import Kind
from tensorpeek.probe.kinds.module import ModuleKind
from tensorpeek.probe.kinds.ndarray import ArrayKind, ScalarKind
from tensorpeek.probe.kinds.optimizer import GradScalerKind, OptimizerKind, SchedulerKind
from tensorpeek.probe.kinds.sequence import SequenceKind
from tensorpeek.probe.kinds.stats import StatsKind
from tensorpeek.probe.kinds.tensor import TensorKind
from tensorpeek.probe.kinds.tensor_row import RowKind
from tensorpeek.probe.kinds.torch_words import GeneratorKind, GraphNodeKind, SizeKind, StorageKind, WordKind
from tensorpeek.probe.types_map import TypeMap

KINDS: tuple[Kind, ...] = (
    TensorKind(),
    RowKind(),
    StatsKind(),
    ArrayKind(),
    ScalarKind(),
    FrameKind(),
    SeriesKind(),
    IndexKind(),
    ModuleKind(),
    OptimizerKind(),
    SchedulerKind(),
    GradScalerKind(),
    DataLoaderKind(),
    DatasetKind(),
    WordKind(),
    SizeKind(),
    GeneratorKind(),
    StorageKind(),
    GraphNodeKind(),
    SequenceKind(),
    ContainerKind(),
)
"""Asked in this order: the special before the general."""

_known: TypeMap[tuple[Kind | None]] = TypeMap()


def kind_of(cls: type) -> Kind | None:
    """The first kind that matches the class, None for an ordinary one."""
    known = _known.get(cls)
    if known is None:
        known = (next((kind for kind in KINDS if kind.matches(cls)), None),)
        _known.set(cls, known)
    return known[0]
