"""The training's clock and health, for the view in the editor."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

from tensorpeek.contract.messages import LossState, TrainingState
from tensorpeek.probe import pydevd_access, raw
from tensorpeek.probe.run_output import RUN_OUTPUT
from tensorpeek.probe.training.findings import wire_number
from tensorpeek.probe.training.models import Models
from tensorpeek.probe.training.training import TRAINING

MODULES_SHOWN = 2000
LOSSES_SHOWN = 20
VALUES_SHOWN = 60
RATES_SHOWN = 20


def training_state() -> TrainingState:
    folder, norm = RUN_OUTPUT.written, TRAINING.gradient_norm
    return {
        "step": TRAINING.clock.step,
        "epoch": TRAINING.clock.epoch,
        "stepMs": _finite(TRAINING.clock.step_seconds * 1000),
        "losses": _losses(),
        "gradientNorm": None if norm is None else wire_number(norm),
        "learningRates": [wire_number(float(rate)) for rate in _learning_rates()[:RATES_SHOWN]],
        "overheadPercent": _finite(TRAINING.overhead_percent),
        "sampled": TRAINING.sampled,
        "blind": list(TRAINING.blind),
        "findings": list(TRAINING.findings),
        "modules": _modules(),
        "runFolder": "" if folder is None else str(folder),
    }


def _losses() -> list[LossState]:
    # Another thread trains meanwhile.
    latest = [(name, list(values)) for name, values in list(TRAINING.losses.items())]
    return [
        {
            "name": name,
            "value": wire_number(values[-1]),
            "history": [wire_number(value) for value in values[-VALUES_SHOWN:]],
        }
        for name, values in latest[:LOSSES_SHOWN]
        if values
    ]


def _modules() -> list[str]:
    """Of the models that were called, or, where none was watched, of those at hand in a pause."""
    models = TRAINING.models
    if not models.roots():
        models = Models()
        for value in pydevd_access.paused_names().values():
            if raw.is_module(type(value)):
                models.add_root(value)
    named = (name for root in models.roots() for name in models.names(root))
    return list(islice(named, MODULES_SHOWN))


def _learning_rates() -> list[Any]:
    rates = [group.get("lr") for each in TRAINING.optimizers for group in each.param_groups]
    return [rate for rate in rates if isinstance(rate, (int, float))]


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
