"""What is kept of a step so that it can be run once more: its beginning, its inputs, and the random state."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FrameType, MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})


class StepRecord:
    """Filled at the first call of a root module in the step; dropped when the next step begins.

    Keeps one batch alive until the next one comes, and no frame that has ended.
    """

    code: CodeType | None = None
    """Of the user's function that called the module."""
    line: int = 0
    """In it, of the call."""
    arguments: Mapping[str, Any] = NOTHING
    """The arguments of that function, and the names that it will overwrite before backward; by name."""
    callers: tuple[tuple[CodeType, int], ...] = ()
    """The user's frames above that function, nearest first, at most 8: code and `f_lasti`."""
    backward_line: int = 0
    loss: float | None = None
    frame: FrameType | None = None
    """The user's frame of the backward call; set only while a condition is being told of a moment."""
    rows: list[int] | None = None

    def __init__(
        self,
        number: int,
        module: Any = None,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] = NOTHING,
        random_state: Any = None,
    ) -> None:
        self.number = number
        self.module = module
        """The root module that was called first."""
        self.args = args
        self.kwargs = kwargs
        self.random_state = random_state
        """Of torch's CPU generator (and of devices, Python and NumPy where cheap), before the forward."""
