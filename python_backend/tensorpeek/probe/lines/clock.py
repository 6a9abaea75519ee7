"""Where the training is, for `tp.step()`, `tp.epoch()` and `tp.rank()`."""

from __future__ import annotations

import os
import sys
from typing import Any

from tensorpeek.probe.training.training import TRAINING


def run() -> None:
    """Sees to it that steps are counted, although no training-wide condition may be on."""
    TRAINING.start()


def step() -> int:
    return TRAINING.clock.step


def epoch() -> int:
    """−1 while it is unknown."""
    return TRAINING.clock.epoch


def is_running() -> bool:
    """Whether the program has an optimizer whose steps could be counted."""
    return "torch" in sys.modules


def rank() -> int:
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    number = os.environ.get("RANK", "")
    return int(number) if number.isdigit() else 0
