"""Forms that came with Python 3.12."""

type Pair[T] = tuple[T, T]


def first[T](values: list[T]) -> T:
    return values[0]


class Box[T]:
    def __init__(self, value: T):
        self.value = [value]

    def more[S](self, other: S) -> list[T | S]:
        self.value += [other]
        return self.value


def case_type_parameters():
    def inner[S](x: S, y: int = 1 + 1) -> S:
        return [x][0]

    type Local = list[int]
    return first([3, 4]), Box(1).more("a"), inner("b"), Local.__name__, Pair.__name__


def case_strings_in_strings():
    names = ["ä", "b"]
    return f"{', '.join([f'{name!r:>{len(names) + 3}}' for name in names])} {
        names[0]  # a comment
    } {names[1]=}"


def case_strings_raise():
    value = {"a": 1}
    return f"{value['a'] + value['b']}"


def case_comprehensions_in_place():
    x = 5
    return [x for x in range(3)], x, [y := z for z in range(2)], y, [locals().keys() >= {"x"} for _ in (1,)]


class Scope:
    a = 2
    b = [c * 2 for c in range(a)]

    def method(self):
        return [__class__.__name__ for _ in (1,)]


def case_class_scope():
    return Scope.b, Scope().method()
