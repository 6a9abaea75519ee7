"""Forms that came with Python 3.11."""


class Rows:
    def __getitem__(self, index):
        return index

    def __setitem__(self, index, value):
        self.last = index, value


def case_star_in_brackets():
    where, rows = (1, 2), Rows()
    rows[0, *where] = 5
    rows[*where] += (3,)
    return rows[*where, 3], rows.last


def case_groups():
    out = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        out.append([str(error) for error in group.exceptions])
    except* TypeError as group:
        out.append(len(group.exceptions) + 1)
    return out


def case_star_in_return():
    values = [1, 2]
    for value in *values, 3:
        values = *values, value
    return *values, 0


def case_annotated_star():
    def f(*args: *tuple[int, ...]):
        return args

    return f(1, 2)
