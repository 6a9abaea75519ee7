"""Puts a program into the state that a capsule holds, when it calls its model for the first time."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tensorpeek.probe.training.capsule import FORMAT, NoCapsule, instances_of, scalers
from tensorpeek.probe.training.random_state import RandomState
from tensorpeek.probe.training.unobserved import unobserved


@dataclass
class Replayed:
    """The moment `capsule`: the program stands before the forward pass of the capsule's step."""

    frame: FrameType | None
    title: str
    message: str
    values: dict[str, Any] = field(default_factory=dict)


class CapsuleReplay:
    """One capsule, read when it is needed."""

    def __init__(self, path: str) -> None:
        self._path = path

    def load(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
    ) -> tuple[tuple[Any, ...], Replayed, int]:
        """Restores everything; `kwargs` is changed in place.

        Returns the positional arguments to go on with, what happened, and the step. Raises NoCapsule.
        """
        torch = sys.modules["torch"]
        with unobserved():
            try:
                content = torch.load(self._path, map_location="cpu", weights_only=True)
            except Exception as error:
                raise NoCapsule(f"{self._path} can't be read: {error}") from error
            if not isinstance(content, dict) or content.get("tensorpeek_capsule") != FORMAT:  # pyright: ignore[reportUnknownMemberType]
                raise NoCapsule(f"{self._path} is no capsule of this version")
            problem = _problem(content)
            if problem:
                raise NoCapsule(f"{self._path} is damaged: {problem}")
            missed = self._restore(content, module)
        new_args = tuple(_like(old, new) for old, new in zip(args, content["args"]))
        new_args += args[len(new_args) :]
        for name, value in content["kwargs"].items():
            if name in kwargs:
                kwargs[name] = _like(kwargs[name], value)
        _random(content["random"]).restore()
        values = {f"args[{index}]": value for index, value in enumerate(new_args)} | kwargs
        return new_args, Replayed(frame, "Capsule", _message(content, missed), values), int(content["step"])

    def _restore(self, content: dict[str, Any], module: Any) -> list[str]:
        """Returns what of the capsule has no counterpart in this program."""
        torch = sys.modules["torch"]
        missed = [f"{text}, which is no data" for text in content["left_out"]]
        # The first model is the one that is called; others have to be found.
        others = [each for each in instances_of(torch.nn.Module) if each is not module]
        missed += _pair(content["models"], [module, *others], "model")
        missed += _pair(content["optimizers"], instances_of(torch.optim.Optimizer), "optimizer")
        return missed + _pair(content["scalers"], scalers(), "scaler")


PARTS = {
    "step": int,
    "left_out": list,
    "rows": (list, type(None)),
    "args": tuple,
    "kwargs": dict,
    "models": list,
    "optimizers": list,
    "scalers": list,
    "random": dict,
}


def _problem(content: Any) -> str:
    """What is wrong with it, looked for before anything in the program is changed."""
    for name, kind in PARTS.items():
        if not isinstance(content.get(name), kind):
            return f"{name} is missing"
    for name in ("models", "optimizers", "scalers"):
        if not all(isinstance(each, dict) and {"class", "state"} <= each.keys() for each in content[name]):
            return f"{name} are incomplete"
    try:
        sys.modules["torch"].Generator().set_state(content["random"]["torch"])
    except (KeyError, TypeError, RuntimeError):
        return "the random state is not one of torch"
    return ""


def _pair(states: list[dict[str, Any]], owners: list[Any], word: str) -> list[str]:
    missed: list[str] = []
    for state in states:
        for owner in owners:
            if type(owner).__name__ == state["class"] and _loads(owner, state["state"]):
                owners.remove(owner)
                break
        else:
            missed.append(f"{word} {state['class']}")
    return missed


def _loads(owner: Any, state: Any) -> bool:
    try:
        if _shapes(owner.state_dict()) != _shapes(state) and hasattr(owner, "parameters"):
            return False
        owner.load_state_dict(state)
    except (KeyError, RuntimeError, ValueError):
        return False
    return True


def _shapes(state: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in state.items() if hasattr(value, "shape")}


def _like(old: Any, new: Any) -> Any:
    """The capsule's value, of the kind and on the device of the one that it replaces."""
    if hasattr(old, "device") and hasattr(new, "to"):
        return new.to(old.device).requires_grad_(old.requires_grad and new.is_floating_point())
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = {key: _like(old.get(key), value) for key, value in new.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return pairs if type(old) is dict else _updated(old, pairs)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)) and len(old) == len(new):  # pyright: ignore[reportUnknownArgumentType]
        parts = [_like(one, other) for one, other in zip(old, new)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return parts if isinstance(old, list) else tuple(parts)
    return old if new is None else new


def _updated(old: Any, pairs: dict[Any, Any]) -> Any:
    old.update(pairs)
    return old


def _random(state: dict[str, Any]) -> RandomState:
    python = state["python"]
    if python is not None:
        python = (python[0], tuple(python[1]), python[2])
    numpy = state["numpy"]
    return RandomState(state["torch"], state["device"], python, numpy)


def _message(content: dict[str, Any], missed: list[str]) -> str:
    rows = f", rows {', '.join(map(str, content['rows'][:8]))} of the data set" if content["rows"] else ""
    text = f"The program is in step {content['step']} of the capsule{rows}, before the model is called."
    return text + (f" Not restored: {'; '.join(missed)}." if missed else "")
