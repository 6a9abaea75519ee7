"""Explains autograd's two errors about graphs that are used too late: overwritten tensors, freed graphs."""

from __future__ import annotations

import ast
import re
from types import FrameType

from tensorpeek.probe.training import source
from tensorpeek.probe.training.moments import Failure
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related, Report
from tensorpeek.probe.training.tracebacks import users_frames

MODIFIED = "has been modified by an inplace operation"
FREED = "backward through the graph a second time"
SHAPE = re.compile(r"\[(?:torch\.)?\S*Tensor \[([\d, ]*)\]\](?:, which is output \d+ of (\w+?)Backward\d*)?")
MOST_LINES = 5


def explain(failure: Failure, carriers: list[str], step_place: Place | None) -> Report | None:
    """`carriers` are the names through which the failing pass's graph reaches the step before; `step_place`
    is where an optimizer last changed the weights.
    """
    text = str(failure.error)
    if not isinstance(failure.error, RuntimeError) or (MODIFIED not in text and FREED not in text):
        return None
    frames = users_frames(failure.traceback)
    frame, place = frames[-1] if frames else (None, None)
    if MODIFIED in text:
        return _modified(failure, text, carriers, step_place, frame, place)
    return _freed(carriers, frame, place)


def _carried(carriers: list[str], frame: FrameType | None) -> tuple[str, list[Related]]:
    if not carriers:
        return "", []
    name = carriers[0]
    where = source.last_assignment(frame, name) if frame is not None else None
    related = [Related(where, f"`{name}` is made here, from its value of the step before")] if where else []
    return name, related


def _freed(carriers: list[str], frame: FrameType | None, place: Place | None) -> Report:
    name, related = _carried(carriers, frame)
    if name:
        message = (
            f"This backward pass reaches the graph of the step before through `{name}`, and that graph was "
            "freed by the last backward()."
        )
        advice = f"Cut it between two steps: {name} = {name}.detach()."
    else:
        message = "A part of this graph was already used by an earlier backward(), which freed it."
        advice = (
            "Add the losses and call backward() once, or compute the shared part again; retain_graph=True "
            "only where one graph is really meant to serve twice."
        )
    return Report("Graph used a second time", message, place=place, next=[advice], related=related)


def _modified(
    failure: Failure,
    text: str,
    carriers: list[str],
    step_place: Place | None,
    frame: FrameType | None,
    place: Place | None,
) -> Report:
    match = SHAPE.search(text)
    shape = tuple(int(size) for size in match[1].split(",") if size.strip()) if match else ()
    weights = _parameters_of_shape(failure, shape)
    name, related = _carried(carriers, frame)
    which = f"a tensor {list(shape)}"
    if weights:
        which = f"`{weights[0][0]}`" + (
            f" (transposed, {list(shape)})" if weights[0][1] else f" {list(shape)}"
        )
    if weights and step_place is not None:
        by = f"optimizer.step() at line {step_place.line} has changed it in place meanwhile"
        related.append(Related(step_place, "the weights are changed in place here"))
    else:
        by = "an in-place operation has changed it meanwhile"
        related += _in_place_lines(frame)
    if name:
        advice = f"Cut the graph between two steps: {name} = {name}.detach(), without retain_graph=True."
        how = f" The pass reaches the graph of the step before through `{name}`."
    elif weights:
        advice = "Run every backward() before the optimizer's step(), or compute the forward again after it."
        how = ""
    else:
        advice = (
            "Write x = x + y instead of x += y, and use the operations without `_`, where autograd needs x."
        )
        how = ""
    return Report(
        "Tensor changed before backward",
        f"backward() needs {which} as it was when the forward used it, but {by}.{how}",
        place=place,
        evidence=[text.partition(". Hint")[0][:300]],
        next=[advice],
        related=related,
    )


def _parameters_of_shape(failure: Failure, shape: tuple[int, ...]) -> list[tuple[str, bool]]:
    """The trained parameters that the message may mean, and whether it names their transpose."""
    found: list[tuple[str, bool]] = []
    for optimizer in failure.training.optimizers:
        for parameter in (each for group in optimizer.param_groups for each in group["params"]):
            own = tuple(parameter.shape)
            if shape and shape in (own, own[::-1]):
                name = failure.training.models.name_of_parameter(parameter)
                found.append((name or f"parameter {list(own)}", shape != own))
    # Square weights could be either; a weight of a recurrent layer's own state is what a carried state needs.
    return sorted(found, key=_is_not_recurrent)


def _is_not_recurrent(entry: tuple[str, bool]) -> bool:
    return "hh" not in entry[0]


def _in_place_lines(frame: FrameType | None) -> list[Related]:
    """The frame's statements that write into a tensor."""
    if frame is None:
        return []
    found: list[Related] = []
    for node in source.own_nodes(source.body_of(frame.f_code)):
        is_method = isinstance(node, ast.Call) and source.called(node).endswith("_")
        is_written = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        if is_method or is_written or isinstance(node, ast.AugAssign):
            line = getattr(node, "lineno", 0)
            found.append(
                Related(Place(frame.f_code.co_filename, line, frame.f_code.co_name), "writes in place")
            )
    return found[:MOST_LINES]
