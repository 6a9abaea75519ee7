"""`tp` in the Debug Console and in watches, while the program is paused."""

from __future__ import annotations

from typing import Any

from tensorpeek.catalogue.functions import BY_NAME
from tensorpeek.contract.messages import Finding
from tensorpeek.probe.lines.hits import Hits
from tensorpeek.probe.lines.tp import function
from tensorpeek.probe.stops import stop
from tensorpeek.probe.training.training import TRAINING

ACTIONS = ("skip_step", "drop_batch", "set_lr", "save_capsule")


class Console:
    """What can be done before the weights change, and what was found."""

    def skip_step(self) -> str:
        """Leaves out the optimizer's step of this batch."""
        return TRAINING.act("skipStep", None)[0]

    def drop_batch(self) -> str:
        """Leaves out the rest of this batch: its backward pass and the optimizer's step."""
        return TRAINING.act("dropBatch", None)[0]

    def set_lr(self, value: float) -> str:
        """Sets the learning rate of every group of every optimizer, from this step on."""
        return TRAINING.act("setLearningRate", float(value))[0]

    def save_capsule(self) -> str:
        """Writes batch, random state, model and optimizer to a file, from which this step can be repeated."""
        return TRAINING.act("saveCapsule", None)[0]

    @property
    def finding(self) -> Finding | None:
        """Why the program is stopped here; None when it was not for a finding."""
        stopped = stop.current()
        return None if stopped is None else stopped.finding

    @property
    def values(self) -> dict[str, Any]:
        """The values of the scope that the stop added."""
        stopped = stop.current()
        return {} if stopped is None else stopped.values

    def __getattr__(self, name: str) -> Any:
        """The functions of conditions, as `tp.norm(w)`; those that remember begin anew at each evaluation."""
        if name not in BY_NAME:
            raise AttributeError(f"tp has no {name!r}; it has {', '.join(dir(self))}")
        return function(name, "", Hits())

    def __dir__(self) -> list[str]:
        return [*ACTIONS, "finding", "values", *BY_NAME]

    def __repr__(self) -> str:
        return f"tp: {', '.join(dir(self))}"
