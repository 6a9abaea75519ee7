"""A capsule: everything that a step needs to be run again, in one file that holds data and no code.

`torch.load(path, weights_only=True)` reads it. It is a dictionary of the batch, the random states from before
the batch was used, and the state of models, optimizers and scalers at the stop.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorpeek.probe import raw
from tensorpeek.probe.training.random_state import RandomState
from tensorpeek.probe.training.step_record import StepRecord
from tensorpeek.probe.training.unobserved import unobserved

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

FORMAT = 1
SUFFIX = ".capsule.pt"
DEEPEST = 12


class NoCapsule(RuntimeError):
    """Why none can be written or replayed, for the user."""


def save(training: Training, folder: Path) -> Path:
    """Writes the step that this thread is in. Raises NoCapsule, OSError."""
    record = training.record
    if record is None:
        raise NoCapsule("no model has been called in this step yet, so there is no batch to keep")
    left_out: list[str] = []
    with unobserved():
        content = _content(training, record, left_out)
        content["left_out"] = left_out
        path = folder / f"step-{record.number}{SUFFIX}"
        _write(content, path)
    return path


def _write(content: dict[str, Any], path: Path) -> None:
    """All of it, or nothing: a capsule that was there before is lost only to a whole one."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with unfinished.open("wb") as file:  # torch's own file would not say what is wrong with the disk
            sys.modules["torch"].save(content, file)
        unfinished.replace(path)
    except Exception as error:  # noqa: BLE001  it is raised again
        with suppress(OSError):
            unfinished.unlink()
        # torch may have added an error of its own, which says nothing of the disk.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, OSError):
            cause = cause.__context__
        raise (cause or error) from None


def _content(training: Training, record: StepRecord, left_out: list[str]) -> dict[str, Any]:
    return {
        "tensorpeek_capsule": FORMAT,
        "step": record.number,
        "epoch": training.clock.epoch,
        "program": list(sys.argv),
        "path": record.code.co_filename if record.code is not None else "",
        "line": record.line,
        "rows": record.rows,
        "args": tuple(
            _plain(value, f"argument {index}", left_out) for index, value in enumerate(record.args)
        ),
        "kwargs": {name: _plain(value, name, left_out) for name, value in record.kwargs.items()},
        "random": _random(record.random_state),
        "models": _states(training.models.roots(), left_out),
        "optimizers": _states(training.optimizers, left_out),
        "scalers": _states(scalers(), left_out),
    }


def _states(owners: Iterable[Any], left_out: list[str]) -> list[dict[str, Any]]:
    return [
        {"class": type(owner).__name__, "state": _plain(owner.state_dict(), type(owner).__name__, left_out)}
        for owner in owners
    ]


def _random(state: RandomState) -> dict[str, Any]:
    numpy = dict(state.numpy) if state.numpy is not None else None
    if numpy is not None:
        # Its key is an array, which is not data for `weights_only`.
        numpy["state"] = {
            name: value.tolist() if hasattr(value, "tolist") else value
            for name, value in numpy["state"].items()
        }
    return {
        "torch": state.torch_cpu,
        "device": state.torch_device,
        "python": state.python,
        "numpy": numpy,
    }


def _plain(value: Any, name: str, left_out: list[str], depth: int = 0) -> Any:
    """As tensors, numbers, texts, and lists and dictionaries of them; None for what is nothing of these."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    if raw.is_a(type(value), "torch.Tensor"):
        return _alone(value.detach())
    torch = sys.modules["torch"]
    if isinstance(value, (torch.Size, torch.dtype, torch.device)):
        return value
    if depth < DEEPEST:
        inner = depth + 1
        if isinstance(value, Mapping):
            return {
                key: _plain(each, f"{name}[{key!r}]", left_out, inner)
                for key, each in value.items()  # pyright: ignore[reportUnknownVariableType]
            }
        if hasattr(value, "tolist") and hasattr(value, "dtype"):
            return torch.as_tensor(value) if getattr(value, "shape", ()) else value.tolist()
        if isinstance(value, (list, tuple, set, frozenset)):
            parts = [_plain(each, f"{name}[{index}]", left_out, inner) for index, each in enumerate(value)]
            return parts if isinstance(value, list) else tuple(parts)
        if is_dataclass(value) and not isinstance(value, type):
            return {
                field.name: _plain(getattr(value, field.name), f"{name}.{field.name}", left_out, inner)
                for field in fields(value)
            }
    left_out.append(f"{name} ({type(value).__name__})")
    return None


def _alone(tensor: Any) -> Any:
    """Of a part of a larger tensor, as a batch is of a data set, torch would write the whole."""
    try:
        is_part = tensor.untyped_storage().nbytes() > 2 * tensor.numel() * tensor.element_size()
    except (NotImplementedError, RuntimeError):  # sparse, on a device without storages
        return tensor
    return tensor.clone() if is_part else tensor


def scalers() -> list[Any]:
    """Every GradScaler that is in use. Asked for by the user only, since it looks at all objects."""
    scaler = getattr(sys.modules.get("torch.amp.grad_scaler"), "GradScaler", None)
    return instances_of(scaler, lambda each: each.is_enabled()) if scaler is not None else []


def instances_of(kind: type, fits: Any = None) -> list[Any]:
    return [
        each for each in gc.get_objects() if issubclass(type(each), kind) and (fits is None or fits(each))
    ]
