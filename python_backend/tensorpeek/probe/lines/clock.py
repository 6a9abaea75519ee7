"""Where the training is, for `tp.step()`, `tp.epoch()` and `tp.rank()`."""

from __future__ import annotations

import sys

from tensorpeek.probe.training import findings
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
    return findings.rank()
