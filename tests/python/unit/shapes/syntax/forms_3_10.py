"""Forms that came with Python 3.10."""

from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def matched(value):
    match value:
        case [first, *rest] if (n := len(rest)) > 1:
            return "long", first, rest, n
        case [a, b] | (a, b, _):
            return "pair", a, b
        case {"k": inner, **others}:
            return "dict", inner, others
        case Point(x=0, y=y) as whole:
            return "point", y, whole
        case Point(x, y):
            return x + y
        case str() | bytes() as text:
            return "text", text
        case 1 | -1 | 2.5:
            return "number"
        case None:
            return "none"
        case _:
            return "else"


def case_match():
    values = [[1, 2, 3], [1, 2], {"k": 1, "m": 2}, Point(0, 5), Point(1, 2), "a", b"b", -1, 2.5, None, object]
    return [matched(value) for value in values]


def case_match_raises():
    match [1, 0]:
        case [a, b]:
            return a // b


def case_with_parentheses():
    from contextlib import nullcontext

    with (
        nullcontext([1]) as a,
        nullcontext(2) as b,
    ):
        a[0] += b
    return a
