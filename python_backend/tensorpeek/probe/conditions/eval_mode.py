"""A validation has called eval(), and the training goes on without dropout and with frozen batch
statistics.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe import raw
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Loss, Step
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.user_values import user_frames

MOST_NAMED = 6
NORMS = ("BatchNorm", "InstanceNorm", "SyncBatchNorm")


@dataclass
class Mode:
    """Of one model."""

    was_in_training: bool = False
    """At the loss of a step that was taken."""
    since: int = -1
    """The step from which every loss was computed in eval mode; -1 while it is in training."""
    steps: int = 0
    at_loss: bool | None = None
    """The mode at the losses of the step that runs; None before the first, True if any was in training."""


class EvalMode(Condition):
    """Only a whole model counts that was in training mode when it took steps before. Parts that a user keeps
    in eval mode, and a model that was in it from the beginning, are meant.
    """

    info = conditions.EVAL_MODE

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._modes: weakref.WeakKeyDictionary[Any, Mode] = weakref.WeakKeyDictionary()

    def on_loss(self, loss: Loss) -> None:
        for root in loss.training.models.roots():
            mode = self._modes.get(root)
            if mode is None:
                mode = self._modes[root] = Mode()
            mode.at_loss = bool(mode.at_loss) or root.training

    def on_gradients(self, step: Step) -> Report | None:
        for root, mode in list(self._modes.items()):
            if mode.at_loss is None:
                continue
            in_training = mode.at_loss or root.training
            mode.at_loss = None
            if in_training:
                mode.was_in_training = mode.was_in_training or _is_trained(root, step.optimizer)
                mode.since, mode.steps = -1, 0
            elif mode.was_in_training:
                mode.since = step.number if mode.since < 0 else mode.since
                mode.steps += 1
                if mode.steps == self.settings["window"] and _is_trained(root, step.optimizer):
                    return self._report(step, root, mode)
        return None

    def _report(self, step: Step, root: Any, mode: Mode) -> Report | None:
        concerned = _concerned(step, root)
        if not concerned:
            return None
        places = _eval_calls(step, root)
        words = ", ".join(f"`{name}` ({kind})" for name, kind in concerned[:MOST_NAMED])
        more = f" and {len(concerned) - MOST_NAMED} more" if len(concerned) > MOST_NAMED else ""
        name = type(root).__name__
        by = (
            f" eval() was called at line {places[0].line}, and train() not since." if len(places) == 1 else ""
        )
        return Report(
            "Training in evaluation mode",
            f"{name} takes steps in eval mode since step {mode.since}, after steps in training mode:{by} "
            f"{words}{more} behave as in a validation: dropout is off, and batch statistics are not updated.",
            place=places[0] if len(places) == 1 else None,
            value=float(mode.since),
            evidence=[f"{path}: {kind} is in eval mode" for path, kind in concerned[:20]],
            next=[f"Call {name.lower()}.train() after the validation, or at the beginning of each epoch."],
            related=[Related(place, "eval() is called here") for place in places[:5]]
            if len(places) > 1
            else [],
        )


def _is_trained(root: Any, optimizer: Any) -> bool:
    """Whether the optimizer has a parameter of the model."""
    own = set(map(id, root.parameters()))
    return any(id(parameter) in own for group in optimizer.param_groups for parameter in group["params"])


def _concerned(step: Step, root: Any) -> list[tuple[str, str]]:
    """The modules to which the mode makes a difference, with their classes."""
    found: list[tuple[str, str]] = []
    for module in root.modules():
        if module.training:
            continue
        kind = type(module).__name__
        drops = "Dropout" in kind and getattr(module, "p", 1) != 0
        norm = kind.startswith(NORMS) and getattr(module, "track_running_stats", False)
        recurrent = getattr(module, "dropout", 0)
        inner = raw.is_a(
            type(module), "torch.nn.modules.rnn.RNNBase", "torch.nn.modules.activation.MultiheadAttention"
        )
        if drops or norm or (inner and isinstance(recurrent, float) and recurrent > 0):
            found.append((step.training.models.module_path(module) or kind, kind))
    return found


def _eval_calls(step: Step, root: Any) -> list[Place]:
    """The lines of the user's files that call eval() on something; a comparison with builtins is left out."""
    places: list[Place] = []
    for path in source.user_files(step.frame, [root]):
        calls = [
            call for call in source.calls(path, "eval") if "." in source.text(call.func) and not call.args
        ]
        places += [Place(path, call.lineno, source.function_of(path, call.lineno)) for call in calls]
    for frame in user_frames(step.frame):
        # The one that a frame's own loop calls is likelier than one in another file.
        own = [place for place in places if place.path == frame.f_code.co_filename]
        if len(own) == 1:
            return own
    return places
