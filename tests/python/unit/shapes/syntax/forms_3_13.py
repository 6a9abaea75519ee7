"""Forms that came with Python 3.13."""


class Box[T = int]:
    def __init__(self):
        self.value = [1]

    def add(self, other: T):
        self.value[0] += other
        return self.value


def case_type_defaults():
    return Box().add(2), Box.__type_params__[0].__default__


def case_static_attributes():
    return sorted(Box.__static_attributes__), Box.__firstlineno__
