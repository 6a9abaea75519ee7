"""The parts of the adapter, see `parts`, in the order in which they hear of things."""

from __future__ import annotations

from typing import Callable

from tensorpeek.adapter.data_breakpoints import DataBreakpoints
from tensorpeek.adapter.line_conditions import LineConditions
from tensorpeek.adapter.module_breakpoints import ModuleBreakpoints
from tensorpeek.adapter.session import Session
from tensorpeek.adapter.shapes import Shapes
from tensorpeek.adapter.training.part import Training
from tensorpeek.adapter.value_requests import ValueRequests

PARTS: tuple[Callable[[Session], object], ...] = (
    ValueRequests,
    Training,
    LineConditions,
    ModuleBreakpoints,
    DataBreakpoints,
    Shapes,
)
