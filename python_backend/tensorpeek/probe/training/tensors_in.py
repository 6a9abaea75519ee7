"""The tensors in arguments and outputs, which may be lists, dictionaries and dataclasses of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorpeek.probe import raw, reach

DEEPEST = 4
MOST = 64
"""Parts of one container that are looked at."""


def tensors_in(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Each tensor with its way from `value`, as in `[0]` and `['x'][1]`; empty for the value itself."""
    if raw.is_a(type(value), "torch.Tensor"):
        yield name, value
    elif depth < DEEPEST and reach.is_container(type(value)):
        for part in reach.parts(value, 0, MOST):
            yield from tensors_in(
                part.value, reach.expression(name or " ", part.evaluate).lstrip(), depth + 1
            )


def tensors_of_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors in a call's arguments, as in `args[0]` and `mask`."""
    yield from ((f"args{name}", tensor) for name, tensor in tensors_in(args))
    for keyword, value in list(kwargs.items())[:MOST]:
        yield from tensors_in(value, keyword)
