"""The random generators' states, as they were before a forward pass."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any


@dataclass
class RandomState:
    torch_cpu: Any
    """A tensor of bytes."""
    torch_device: Any = None
    """Of the current CUDA device, where one is in use."""
    python: Any = None
    numpy: Any = None
    """These two only where there was time for it."""

    def restore(self) -> None:
        """Makes the generators go on from here."""
        torch = sys.modules["torch"]
        torch.default_generator.set_state(self.torch_cpu)
        if self.torch_device is not None:
            torch.cuda.set_rng_state(self.torch_device)
        if self.python is not None:
            sys.modules["random"].setstate(self.python)
        numpy_random = sys.modules.get("numpy.random")
        if self.numpy is not None and numpy_random is not None:
            numpy_random.set_state(self.numpy)


def random_state(whole: bool) -> RandomState:
    """`whole` takes Python's and NumPy's too, which costs about 20 µs."""
    torch = sys.modules["torch"]
    state = RandomState(torch.default_generator.get_state())
    # The state of a device's generator lives on the CPU: reading it waits for nothing.
    if torch.version.cuda and torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():
        state.torch_device = torch.cuda.get_rng_state()
    if whole:
        python, numpy_random = sys.modules.get("random"), sys.modules.get("numpy.random")
        state.python = python.getstate() if python is not None else None
        state.numpy = numpy_random.get_state(legacy=False) if numpy_random is not None else None
    return state
