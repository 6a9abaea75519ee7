"""What the hooks in torch tell."""

from __future__ import annotations

from types import FrameType
from typing import Any, Protocol


class Events(Protocol):
    """Who is told, each time in the thread of the program that does it."""

    def root_called(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> tuple[Any, ...] | None:
        """May return other arguments, and may change `kwargs`."""
        ...

    def root_evaluated(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> None:
        """A model that has been trained is called without gradients."""
        ...

    def module_returned(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None: ...
    def before_backward(self, roots: list[Any], retains_graph: bool, frame: FrameType | None) -> bool | None:
        """False leaves the backward pass out."""
        ...

    def after_backward(self) -> None: ...
    def gradients_ready(self, optimizer: Any) -> bool | None:
        """False leaves the step out."""
        ...

    def weights_changed(self, optimizer: Any) -> None: ...
    def step_skipped(self, optimizer: Any) -> None: ...
    def leaves_out_step(self) -> bool:
        """Whether the user wants the step that a scaler is about to take to be left out."""
        ...

    def scaled(self, scaler: Any, outputs: Any, result: Any) -> None: ...
    def batch_fetched(self, iterator: Any, is_first: bool, batch: Any) -> None: ...
    def indices_drawn(self, iterator: Any, indices: Any) -> None: ...
    def failed_inside(self, error: Exception) -> None:
        """One of these methods has raised; the program goes on."""
        ...
