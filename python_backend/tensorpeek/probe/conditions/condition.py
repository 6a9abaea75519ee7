"""A training-wide condition: a small class with a description and a method for each moment it wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tensorpeek.catalogue.condition_info import ConditionInfo
from tensorpeek.probe.training.moments import Batch, Evaluation, Failure, Fetched, Loss, ModuleCall, Step
from tensorpeek.probe.training.report import Report

MOST = 100_000
"""Steps that are counted or remembered."""


class Condition:
    """One object per active condition and process; it owns what it remembers of the run.

    A method that is not overridden is never called, and costs nothing. The engine times every call: what
    `samples` names is called only when the budget allows it, everything else in every step. A method must not
    change a tensor, a random state or a grad, and must not keep a tensor of the user's alive; what it raises
    goes to the log and switches the condition off. It runs without autograd, outside of the user's modes.
    """

    info: ClassVar[ConditionInfo]
    samples: ClassVar[frozenset[str]] = frozenset()
    """Names of the methods below that may be left out in a step, as in `{"on_update"}`."""

    def __init__(self, settings: Mapping[str, float]) -> None:
        self.settings = settings

    def whole(self, name: str) -> int:
        """A setting that counts: at least 1, and no more than memory has room for."""
        return int(max(1.0, min(self.settings[name], MOST)))

    def on_fetched(self, fetched: Fetched) -> Report | None:
        """A DataLoader has delivered. Told always: to look at few of them is the condition's business."""

    def on_evaluation(self, evaluation: Evaluation) -> Report | None:
        """The model is called without gradients, or elsewhere than before. Told always, as above."""

    def on_batch(self, batch: Batch) -> Report | None: ...
    def on_module(self, call: ModuleCall) -> Report | None:
        """After each module's forward, on measured steps. Always sampled."""

    def on_loss(self, loss: Loss) -> Report | None: ...
    def on_gradients(self, step: Step) -> Report | None: ...
    def on_update(self, step: Step) -> Report | None: ...
    def on_skip(self, step: Step) -> Report | None:
        """A GradScaler has left out the optimizer's step, since its gradients are not finite."""

    def on_failure(self, failure: Failure) -> Report | None: ...
    def on_end(self) -> Report | None:
        """The program ends; a last word on what only the whole run shows."""
