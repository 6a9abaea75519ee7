"""Constants that stand for the recorder's functions until the code is made.

So no name of ours is in the program's namespaces.
"""

from __future__ import annotations

import operator
from types import CodeType
from typing import Any, Callable

EXPRESSION, NAME, BLOCK, FUNCTION = "\0tp-expression", "\0tp-name", "\0tp-block", "\0tp-function"
ELEMENT, LAST = "\0tp-element", "\0tp-last"
KEEP_BASE, KEEP_INDEX = "\0tp-keep-base", "\0tp-keep-index"
KEPT_BASE, KEPT_INDEX = "\0tp-kept-base", "\0tp-kept-index"
SLICE = "\0tp-slice"
OPERATORS = {
    "Add": "iadd",
    "Sub": "isub",
    "Mult": "imul",
    "MatMult": "imatmul",
    "Div": "itruediv",
    "FloorDiv": "ifloordiv",
    "Mod": "imod",
    "Pow": "ipow",
    "LShift": "ilshift",
    "RShift": "irshift",
    "BitOr": "ior",
    "BitXor": "ixor",
    "BitAnd": "iand",
}
"""Of `ast`, with the name of the same in `operator`, for what is done in place."""


def in_place(operation: str) -> str:
    """The placeholder of an operator, by its name in `ast`."""
    return f"\0tp-{OPERATORS[operation]}"


PLAIN: dict[str, Callable[..., Any]] = {
    **{in_place(name): getattr(operator, function) for name, function in OPERATORS.items()},
    SLICE: slice,
    LAST: lambda *values: values[-1],
}
"""Those that are the same for every recorder."""


def with_functions(code: CodeType, functions: dict[str, Callable[..., Any]]) -> CodeType:
    """The code with the functions in the places of the placeholders, also in what it contains."""
    constants: list[Any] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(with_functions(constant, functions))
        elif isinstance(constant, str) and constant in functions:
            constants.append(functions[constant])
        else:
            constants.append(constant)
    return code.replace(co_consts=tuple(constants))
