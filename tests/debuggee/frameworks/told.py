"""Runs the same training several times in one process: bare, watched, and with faults; prints what was seen."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any, Callable

import torch

from tensorpeek.catalogue.conditions import CONDITIONS
from tensorpeek.catalogue.settings import parse_settings
from tensorpeek.probe.training.training import TRAINING

Train = Callable[[str], "tuple[list[float], torch.nn.Module]"]


def tell(train: Train, *faults: str) -> None:
    """`train(fault)` returns its losses and its model; prints one JSON object."""
    torch.set_num_threads(1)
    print("told:", json.dumps(_seen(train, faults)))


def tell_each(*trains: Train) -> None:
    """The same of several trainings by their names, each with the fault `nan` too."""
    torch.set_num_threads(1)
    print("told:", json.dumps({train.__name__: _seen(train, ("nan",)) for train in trains}))


def _seen(train: Train, faults: Sequence[str]) -> dict[str, Any]:
    found: list[Any] = []

    def listen(finding: Any, frame: Any, values: Any) -> None:
        found.append(finding)

    told: dict[str, Any] = {"bare": _run(train, "")}
    TRAINING.add_listener(listen)
    TRAINING.start()
    for fault in ("", *faults):
        gc.collect()  # the optimizer of the run before
        found.clear()
        first = TRAINING.clock.step
        # A second run in a process is another program: what conditions remember of the first is not its own.
        TRAINING.configure({})
        TRAINING.configure({info.id: parse_settings(info, "") for info in CONDITIONS}, 100.0)
        run = _run(train, fault)
        run["steps"] = TRAINING.clock.step - first
        run["findings"] = [{**finding, "step": finding["step"] - first} for finding in found]
        told[fault or "watched"] = run
    told["problems"], told["blind"] = [*TRAINING.problems], TRAINING.blind
    TRAINING.stop()
    return told


def _run(train: Train, fault: str) -> dict[str, Any]:
    torch.manual_seed(0)
    with contextlib.redirect_stdout(sys.stderr):
        losses, model = train(fault)
    weights = b"".join(tensor.detach().numpy().tobytes() for tensor in model.state_dict().values())
    return {"losses": [loss.hex() for loss in losses], "weights": hashlib.sha256(weights).hexdigest()}
