"""The moments of a training step that conditions are told of.

In a step's order: `Fetched` when a DataLoader has delivered, `Batch` before the first module runs,
`ModuleCall` after each module on measured steps only, `Loss` before each backward pass, `Step` before and
after the optimizer changes the weights, `Failure` when an exception leaves the program; `Evaluation` is a
call of the model that may be none of training. All of them hold the user's tensors only while they are
handed round: a condition must not keep them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training


@dataclass
class Fetched:
    """A DataLoader has delivered a batch."""

    training: Training
    dataset: Any
    batch: Any
    rows: list[int] | None
    """The indices of the data set that were asked for, in the batch's order, where that is known."""


@dataclass
class Evaluation:
    """A model that has been trained is called, before its forward: without gradients, or at another line than
    in the step before.
    """

    training: Training
    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    frame: FrameType | None
    """The user's frame that calls the module; live."""
    has_gradients: bool = False
    """So that a backward pass may follow, by which it turns out to be a step of the training."""


@dataclass
class Batch:
    """The first call of a root module in a step, before its forward."""

    training: Training
    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    frame: FrameType | None
    """The user's frame that calls the module; live."""
    rows: list[int] | None = None
    """The indices of the data set that a DataLoader put into the batch, where that is known."""


@dataclass
class ModuleCall:
    """A module's forward has returned. On measured steps only."""

    training: Training
    module: Any
    name: str
    """Its path in the root module, empty for the root itself."""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any
    frame: FrameType | None
    """The user's frame that called the module, or is nearest to the call."""


@dataclass
class Loss:
    """A root of a backward pass that is about to run; its graph is whole."""

    training: Training
    tensor: Any
    name: str
    """As the user wrote it: `loss`, `g_loss`, or what is inside of `scaler.scale(…)`."""
    frame: FrameType | None
    value: float | None
    """Unscaled; None while a device has not delivered it yet."""
    scale: float = 1.0
    """The GradScaler's factor in `tensor`."""
    retains_graph: bool = False
    late: bool = False
    """`value` is of the step before: the loss is on a device, which is not waited for."""
    cache: dict[str, Any] = field(default_factory=dict)
    """As in `Step`; see `graph`."""


@dataclass
class Step:
    """An optimizer is about to change weights (`on_gradients`) or has just done so (`on_update`)."""

    training: Training
    optimizer: Any
    frame: FrameType | None
    number: int
    scale: float = 1.0
    """A GradScaler's factor that is still in the gradients."""
    cache: dict[str, Any] = field(default_factory=dict)
    """What one condition has computed and another may want; see `parameters`, `norms` and `updates`."""


@dataclass
class Failure:
    """An exception that nothing caught, or that left a backward pass."""

    training: Training
    error: BaseException
    traceback: TracebackType | None
