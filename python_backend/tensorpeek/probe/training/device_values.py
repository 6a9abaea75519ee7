"""Numbers of tensors on a device, read without waiting for it: one step late.

They are copied to pinned memory behind the work that makes them, and looked at when the event behind the
copy has come, which is at the next step as a rule.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any, NamedTuple, Protocol

MOST_PENDING = 8
"""Copies under way for one name; while a device is further behind, none are added."""


class Sent(NamedTuple):
    host: Any
    """A tensor in memory that the device writes to."""
    arrival: Any
    """An event whose `query()` tells whether it has."""


class Device(Protocol):
    def send(self, tensor: Any) -> Sent | None:
        """Starts a copy; None where that can't be done now."""
        ...


class CudaDevice:
    def send(self, tensor: Any) -> Sent | None:
        torch = sys.modules["torch"]
        with torch.cuda.device(tensor.device):
            if torch.cuda.is_current_stream_capturing():
                return None
            host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
            host.copy_(tensor.detach(), non_blocking=True)
            event = torch.cuda.Event()
            event.record(torch.cuda.current_stream(tensor.device))
        return Sent(host, event)


AT_HAND = {"cpu"}
"""Types of devices that compute at once."""
DEVICES: dict[str, Device] = {"cuda": CudaDevice()}
"""By the type of a tensor's device. Of others, nothing is read."""


class LateValues:
    """What was sent under each name and has not arrived."""

    def __init__(self) -> None:
        self._sent: dict[str, deque[Sent]] = {}

    def exchange(self, name: str, tensor: Any) -> list[float] | None:
        """Sends the tensor's numbers, and returns the oldest that were sent before and have arrived."""
        device = DEVICES.get(tensor.device.type)
        if device is None:
            return None
        pending = self._sent.setdefault(name, deque())
        arrived = pending.popleft() if pending and pending[0].arrival.query() else None
        if len(pending) < MOST_PENDING:
            sent = device.send(tensor.detach().reshape(-1))
            if sent is not None:
                pending.append(sent)
        return None if arrived is None else [float(value) for value in arrived.host.tolist()]


LATE = LateValues()


def is_at_hand(tensor: Any) -> bool:
    """Whether its numbers can be read without waiting for a device."""
    return (tensor.is_cpu and "cpu" in AT_HAND) or tensor.device.type in AT_HAND


def numbers_of(tensor: Any, name: str) -> list[float] | None:
    """The numbers of a small tensor. Those of a device are of the step before, None while there are none.

    `name` tells what is asked for in each step from everything else.
    """
    if is_at_hand(tensor):
        return [float(value) for value in tensor.reshape(-1).tolist()]
    return LATE.exchange(name, tensor)
