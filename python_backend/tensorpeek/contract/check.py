"""Whether a value that came from a file is as a message's type says: what others wrote is never trusted."""

from __future__ import annotations

import functools
import math
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tensorpeek.contract import messages

_PRIMITIVES: dict[Any, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (int, float),
}


def is_valid(kind: Any, value: object) -> bool:
    """`kind` is a generated TypedDict, or what its fields are made of. Other keys are allowed.

    Numbers are finite; a boolean is no number.
    """
    if kind is Any:
        return True
    if kind in _PRIMITIVES:
        return type(value) in _PRIMITIVES[kind] and (not isinstance(value, float) or math.isfinite(value))
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is list:
        return isinstance(value, list) and all(
            is_valid(arguments[0], item) for item in cast("list[object]", value)
        )
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin is Union:
        return any(is_valid(each, value) for each in arguments)
    if kind is type(None):
        return value is None
    if not isinstance(value, dict):
        return False
    content = cast("dict[str, object]", value)
    required: frozenset[str] = kind.__required_keys__
    return required <= content.keys() and all(
        is_valid(hint, content[key]) for key, hint in _fields(kind).items() if key in content
    )


@functools.cache
def _fields(kind: Any) -> dict[str, Any]:
    # In a debuggee the module of the messages is not in `sys.modules`, where it would be looked for.
    return get_type_hints(kind, dict(vars(messages)))
