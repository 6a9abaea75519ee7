"""What is kept of a step so that it can be run once more: its beginning, its inputs, and the random state."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any


@dataclass
class StepRecord:
    """Filled at the first call of a root module in the step; dropped when the next step begins.

    Keeps one batch alive until the next one comes, and no frame that has ended.
    """

    number: int
    module: Any = None
    """The root module that was called first."""
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    random_state: Any = None
    """Of torch's CPU generator (and of devices, Python and NumPy where cheap), before the forward."""
    code: CodeType | None = None
    """Of the user's function that called the module."""
    line: int = 0
    """In it, of the call."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments of that function, and the names that it will overwrite before backward; by name."""
    callers: tuple[tuple[CodeType, int], ...] = ()
    """The user's frames above that function, nearest first, at most 8: code, and the instruction (`f_lasti`)."""
    backward_line: int = 0
    loss: float | None = None
    frame: FrameType | None = None
    """The user's frame of the backward call; set only while a condition is being told of a moment."""
    rows: list[int] | None = None
