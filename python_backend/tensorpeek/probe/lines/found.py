"""Finds the numbers in what a line condition is given: tensors, arrays, numbers, and what holds them.

Runs no code of the user's: modules and containers are walked by their own dictionaries.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tensorpeek.probe import raw, reach
from tensorpeek.probe.kinds.ndarray import plain

NUMBERS = (bool, int, float, complex)
WORDS = ("fractions.Fraction", "decimal.Decimal", "numpy.number", "numpy.bool", "numpy.bool_")
DEEPEST = 20
MOST = 100_000
"""Values in one container; a list of more plain numbers is no tensor's job."""


class Unusable(TypeError):
    """What tp was given has no numbers; the message is for the user."""


def numbers_in(value: Any) -> list[Any]:
    """The tensors, arrays and plain numbers in a value. Raises Unusable where there is something else.

    A module stands for its parameters, an optimizer for those it changes; None holds nothing.
    """
    found = list(islice(_walk(value, 0, set()), MOST + 1))
    if len(found) > MOST:
        raise Unusable(f"more than {MOST:,} values in one {raw.class_name(type(value))}")
    return found


def is_tensor(value: Any) -> bool:
    return raw.is_a(type(value), "torch.Tensor")


def is_array(value: Any) -> bool:
    return raw.is_a(type(value), "numpy.ndarray")


def _walk(value: Any, depth: int, parents: set[int]) -> Iterator[Any]:
    cls = type(value)
    if cls in NUMBERS or is_tensor(value):
        yield value
    elif value is None:
        return
    elif is_array(value):
        yield plain(value)
    elif raw.is_a(cls, *WORDS):
        yield float(value)
    elif depth >= DEEPEST or id(value) in parents:
        return
    else:
        inside = {*parents, id(value)}
        for part in _parts(value):
            yield from _walk(part, depth + 1, inside)


def _parts(value: Any) -> Iterator[Any]:
    cls = type(value)
    if raw.is_module(cls):
        return parameters_of(value)
    if raw.is_optimizer(cls):
        return _parameters_of_optimizer(value)
    if reach.is_container(cls):
        return (child.value for child in reach.parts(value))
    if _is_fresh_parameters(value):
        return value
    if raw.derives(value, *NUMBERS):
        return iter([float(value)])
    raise Unusable(f"{raw.class_name(cls)} is no tensor, number, array, list or module")


def parameters_of(module: Any) -> Iterator[Any]:
    """Of the module and all below it, each once."""
    seen: set[int] = set()
    waiting = [module]
    while waiting:
        attributes = raw.attributes(waiting.pop())
        for parameter in (attributes.get("_parameters") or {}).values():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                yield parameter
        for child in (attributes.get("_modules") or {}).values():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)


def _parameters_of_optimizer(optimizer: Any) -> Iterator[Any]:
    for group in raw.attributes(optimizer).get("param_groups") or []:
        yield from group.get("params") or []


def _is_fresh_parameters(value: Any) -> bool:
    """Whether it is a generator that the condition itself has made, as `model.parameters()` does.

    One of the program's own would be used up by looking at it.
    """
    if type(value) is not types.GeneratorType or inspect.getgeneratorstate(value) != inspect.GEN_CREATED:
        return False
    return value.gi_code.co_filename.replace("\\", "/").endswith("torch/nn/modules/module.py")
