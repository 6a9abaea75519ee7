"""The parts of the adapter, see `parts`, in the order in which they hear of things."""

from __future__ import annotations

from typing import Callable

from tensorpeek.adapter.session import Session
from tensorpeek.adapter.value_requests import ValueRequests

PARTS: tuple[Callable[[Session], object], ...] = (ValueRequests,)
