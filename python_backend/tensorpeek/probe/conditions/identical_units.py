"""A layer whose units all began equal: they get the same gradient and stay one unit."""

from __future__ import annotations

import ast
import weakref
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Step
from tensorpeek.probe.training.parameters import Trained, is_plain, place_of_parameter, trained
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report

FILLERS = ("constant_", "zeros_", "ones_", "fill_", "zero_")
LAST_FIRST_LOOK = 3
"""A parameter that was not identical in one of its optimizer's first steps never is by mistake."""
STILL_WITHOUT_GRADIENT = 10
"""Looks after which equal units whose gradient is 0 count too: a last layer of zeros moves sooner."""
TOLERANCE = 1e-5
"""Of the largest weight: equal sums in another order differ by rounding."""


class IdenticalUnits(Condition):
    info = conditions.IDENTICAL_UNITS
    samples = frozenset({"on_gradients"})

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._identical: dict[int, tuple[weakref.ref[Any], int]] = {}
        """How often each was seen so, by the parameter's identity."""

    def on_gradients(self, step: Step) -> Report | None:
        looks = self._looks[step.optimizer] = self._looks.get(step.optimizer, 0) + 1
        window = int(self.settings["window"])
        concerned: list[Trained] = []
        for each in trained(step):
            known = self._identical.get(id(each.parameter))
            if known is None and looks > LAST_FIRST_LOOK:
                continue
            if not _has_units(each.parameter) or not _are_identical(each.parameter):
                self._identical.pop(id(each.parameter), None)
                continue
            gradient = each.parameter.grad
            if gradient is None or not _are_identical(gradient):
                self._identical.pop(id(each.parameter), None)
                continue
            count = known[1] + 1 if known is not None else 1
            self._identical[id(each.parameter)] = (weakref.ref(each.parameter), count)
            needed = max(window, 2) if bool(gradient.any()) else max(window, STILL_WITHOUT_GRADIENT)
            if count == needed:
                concerned.append(each)
        return self._report(step, concerned) if concerned else None

    def _report(self, step: Step, concerned: list[Trained]) -> Report:
        first = max(concerned, key=_units)
        units = _units(first)
        place = _filler(step) or place_of_parameter(step, first)
        names = ", ".join(f"`{each.name}`" for each in concerned[:4])
        at = f" All of it is set to a constant at line {place.line}." if place is not None else ""
        return Report(
            "Identical units",
            f"All {units} units of `{first.name}` are equal and get equal gradients, so they stay equal: the "
            f"layer is worth one unit.{at}",
            place=place,
            module=first.name.rpartition(".")[0],
            value=float(units),
            evidence=[
                f"{each.name} {list(each.parameter.shape)}: {_units(each)} equal rows"
                for each in concerned[:10]
            ],
            next=[f"Initialize {names} with random numbers, as torch's layers do by themselves."],
        )


def _units(each: Trained) -> int:
    return int(each.parameter.shape[0])


def _has_units(parameter: Any) -> bool:
    """Whether it is a layer's matrix on the CPU: reading another device would make the training wait."""
    return (
        parameter.requires_grad
        and is_plain(parameter)
        and parameter.device.type == "cpu"
        and parameter.dim() >= 2
        and parameter.shape[0] > 1
        and parameter[0].numel() > 1
    )


def _are_identical(tensor: Any) -> bool:
    if not is_plain(tensor) or tensor.device.type != "cpu":
        return False
    rows = tensor.detach().flatten(1)
    # Two rows tell nearly always, without reading all of them.
    first = rows[0].double()
    tolerance = TOLERANCE * float(first.abs().max())
    if float((rows[-1].double() - first).abs().max()) > tolerance:
        return False
    return float((rows.double() - first).abs().max()) <= tolerance


def _is_of_weights(call: ast.Call) -> bool:
    """Whether a call may fill weights: no gradient, and no bias, which may well be constant."""
    whole = source.text(call)
    return "grad" not in source.text(call.func) and "bias" not in whole


def _filler(step: Step) -> Place | None:
    """The only line of the user's files that fills a tensor with a constant in place, else None."""
    places: list[Place] = []
    for path in source.user_files(step.frame, step.training.models.roots()):
        calls = [call for call in source.calls(path, *FILLERS) if _is_of_weights(call)]
        places += [Place(path, call.lineno, source.function_of(path, call.lineno)) for call in calls]
    return places[0] if len(places) == 1 else None
