"""Forms of Python 3.9: each case is run as it is and rewritten, and gives or raises the same."""

import asyncio
import contextlib
import dataclasses
import functools
import inspect
import operator
import pickle
import sys

total = 0


def same(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def with_argument(prefix):
    def around(function):
        def inner(*args):
            return prefix, function(*args)

        return inner

    return around


@same
@with_argument("decorated")
def case_decorated(a=1, *rest, key=(1, 2), **more):
    return a + 1, rest, key, more


def case_generated():
    scope = {}
    exec("def made(x):\n    y = x + 1\n    return [y, locals()]", scope)
    return scope["made"](3), eval("lambda q: q + 1")(2)


def case_nested():
    seen = []

    def outer(x):
        def inner(y):
            nonlocal x
            x += y
            seen.append(x)
            return x

        return inner(1) + inner(2)

    return outer(10), seen


def case_lambdas():
    pair = lambda a, b=2, *c, d=4, **e: (a, b, c, d, e), lambda: 0  # noqa: E731
    key = sorted([3, 1, 2], key=lambda value: -value)
    recursive = (lambda f: lambda n: f(f, n))(lambda f, n: 1 if n < 2 else n * f(f, n - 1))
    return pair[0](1, 3, 5, d=7, z=8), pair[1](), key, recursive(5), [f(2) for f in (lambda x: x, lambda x: x)]


def case_generators():
    def numbers(n):
        try:
            for i in range(n):
                got = yield i * 2
                if got:
                    yield got
        finally:
            closed.append(n)

    def chained():
        result = yield from numbers(2)
        return result

    closed = []
    one = numbers(3)
    out = [next(one), one.send("x"), next(one)]
    one.close()
    return out, list(chained()), closed, sum(x for x in range(5) if x % 2)


def case_async():
    class Context:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *raised):
            return raised[0] is KeyError

    async def ticks(n):
        for i in range(n):
            yield i

    async def main():
        out = [x async for x in ticks(3) if x]
        async with Context() as context:
            raise KeyError(1)
        async for tick in ticks(2):
            out.append(tick)
        total = [0]
        total[0] += await one(5)
        return out, type(context).__name__, total

    async def one(x):
        await asyncio.sleep(0)
        return x

    return asyncio.run(main())


class Base:
    limit = 3
    made = [i * 2 for i in range(limit)]

    def __init__(self, value=0):
        self.value = value

    def go(self, x):
        return ("base", x + self.value)

    @property
    def double(self):
        return self.value * 2

    @double.setter
    def double(self, value):
        self.value = value // 2

    @functools.cached_property
    def kept(self):
        return [self.value + 1]

    @staticmethod
    def plain(x):
        return x, 1

    @classmethod
    def named(cls, x):
        return cls.__name__, x


class Child(Base):
    def __init__(self):
        super().__init__(5)
        self.__hidden = [1, 2]

    def go(self, __x):
        self.__hidden[0] += __x
        return super().go(__x), super(Child, self).go(1), __class__.__name__, self.__hidden


def case_classes():
    child = Child()
    child.double = 8
    child.double += 2
    return child.go(2), child.double, child.kept, child.plain(3), child.named(4), Base.made


class Meta(type):
    def __eq__(self, other):
        raise AssertionError("compared")

    __hash__ = None

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def __instancecheck__(self, other):
        raise AssertionError("asked")


def case_hostile_classes():
    class Odd(metaclass=Meta):
        __slots__ = ("a",)

        def __init__(self):
            self.a = [0]

        def __getattr__(self, name):
            return f"no {name}"

        def __bool__(self):
            raise ValueError("no truth")

        def __len__(self):
            raise ValueError("no length")

    odd = Odd()
    odd.a[0] += 1
    held = [odd, (odd,)]
    return odd.a, odd.other, held[0].more, type(held[1]).__name__


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2
    names: list = dataclasses.field(default_factory=list)

    def moved(self, by):
        return dataclasses.replace(self, x=self.x + by)


def case_dataclasses():
    point = Point(1)
    point.names.append("a")
    return point.moved(2), point == Point(1, 2, ["a"])


class Tracking:
    """Writes down all that is done with it."""

    log = []

    def __init__(self, name):
        self.__dict__["name"] = name

    def __getitem__(self, index):
        self.log.append(("get", self.name, index))
        return Tracking(self.name + "[]")

    def __setitem__(self, index, value):
        self.log.append(("set", self.name, index, value.name))

    def __setattr__(self, name, value):
        self.log.append(("attr", self.name, name, getattr(value, "name", value)))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.log.append(("getattr", self.name, name))
        return Tracking(self.name + "." + name)

    def __iadd__(self, other):
        self.log.append(("iadd", self.name))
        return Tracking(self.name + "+")

    def __mul__(self, other):
        return NotImplemented

    def __rmul__(self, other):
        return Tracking("r")

    def __index__(self):
        self.log.append(("index", self.name))
        return 1


def case_augmented():
    Tracking.log.clear()
    t, order = Tracking("t"), []

    def said(what, value=0):
        order.append(what)
        return value

    t += 1
    t[said("i")] += said("v")
    t[said("a") : said("b"), ..., said("c") :: 2] += said("w")
    t.x += said("x")
    t.y.z[1, 2] += 3
    rows = [[1, 2], [3, 4]]
    rows[said("row", 1)][said("column")] *= said("factor", 5)
    rows[0][:1] += [9]
    n = 7
    n -= 1
    n *= 2
    n //= 3
    n **= 2
    n %= 7
    n <<= 3
    n >>= 1
    n |= 1
    n &= 13
    n ^= 3
    n /= 2
    three = 3
    three *= Tracking("m")
    return Tracking.log, order, rows, n, three.name


def case_augmented_raises_when_read():
    return raising_read({}, "missing")


def raising_read(table, key):
    table[
        key
    ] += 1


def case_augmented_raises_when_added():
    values = [1]
    values[0] += (
        "text"
    )


def case_augmented_raises_when_written():
    values = ([1],)
    values[0] += [2]


def case_augmented_of_nothing():
    values = object()
    values.x.y += 1


def case_augmented_recursion():
    depth = {"n": 0}

    def down(n):
        if n:
            depth["n"] += down(n - 1) + 1
        return depth["n"]

    return down(5), depth


def case_augmented_in_a_generator():
    def adds():
        values = [1]
        values[0] += yield values
        yield values

    one = adds()
    next(one)
    return one.send(5)


def case_walrus():
    if (n := len([1, 2, 3])) > 2 and (m := n * 2):
        pass
    kept = [last := x for x in range(3)]
    return n, m, kept, last, [y := 1, y**2], (lambda: (z := 4) + z)()


def case_comprehensions():
    pairs = [(a, b) for a in range(3) if a for b in "xy" if b != "y"]
    nested = [[c for c in row if c] for row in ([0, 1], [2])]
    unpacked = {k: v for k, (v, *_) in {"a": [1, 2]}.items()}
    return pairs, nested, unpacked, {d % 2 for d in range(4)}, list(e for e in range(2))


def case_try():
    out = []

    def leave(how):
        for i in range(3):
            try:
                if how == "raise":
                    raise ValueError(i)
                if how == "return":
                    return i
                if i == 1:
                    break
                continue
            except ValueError as error:
                out.append(str(error))
            else:
                out.append("else")
            finally:
                out.append(("finally", i))
        else:
            return "whole"
        return "end"

    return [leave(how) for how in ("raise", "return", "")], out


def case_raise_from():
    try:
        {}["a"]
    except KeyError as error:
        raise RuntimeError("from") from error


def case_context():
    try:
        [][0]
    except IndexError:
        undefined + 1  # noqa: B018, F821


def case_with():
    @contextlib.contextmanager
    def around(value):
        out.append(("in", value))
        try:
            yield value, value + 1
        finally:
            out.append(("out", value))

    out = []
    with around(1) as (a, b), contextlib.suppress(KeyError):
        raise KeyError(a + b)
    with around(2) as pair, around(3):
        out.append(pair)
    return out


def case_comparisons():
    asked = []

    def a(n):
        asked.append(n)
        return n

    chained = [a(1) < a(2) <= a(2) != a(3), a(3) < a(2) < a(9)]
    return chained, asked, 1 in [1] is not None, not a(0), a(0) or a(5), a(0) and a(6)


def case_calls():
    def f(a, /, b, *c, d, e=5, **g):
        return a, b, c, d, e, g

    return f(1, *[2, 3], d=4, **{"z": 1}), f(*(1,), 2, **{"d": 3}, e=4), [*[1], *(2,)], {**{"a": 1}, "b": 2}


def case_wrong_call():
    def f(a, /, *, b):
        return a

    return f(1, c=2)


class Many:
    """Has no truth, as an array."""

    def __lt__(self, other):
        return self

    __gt__ = __add__ = __lt__

    def __bool__(self):
        raise ValueError("ambiguous")

    def any(self):
        return self


def case_no_truth_if():
    if Many() < 1:
        pass


def case_no_truth_if_on_lines():
    x = Many()
    if (
        x
        < 1
    ):
        pass


def case_no_truth_elif():
    x = Many()
    if x is None:
        pass
    elif (
        x.any()
    ):
        pass


def case_no_truth_while():
    x = Many()
    while (
        x + 1
    ):
        pass


def case_no_truth_assert():
    x = Many()
    assert x < 1


def case_no_truth_assert_call():
    x = Many()
    assert (
        x.any()
    ), "text"


def case_no_truth_and():
    x = Many()
    return (
        x < 1
        and x
        > 1
    )


def case_no_truth_or():
    x = Many()
    if x is None or x + 1 or x:
        pass


def case_no_truth_not():
    x = Many()
    return not (
        x
        < 1
    )


def case_no_truth_if_not():
    x = Many()
    if not x < 1:
        pass


def case_no_truth_conditional():
    x = Many()
    return (
        1
        if x < 1
        else 2
    )


def case_no_truth_chained():
    x = Many()
    return (
        x
        < 1
        < 2
    )


def case_no_truth_if_chained():
    x = Many()
    if 0 < x < 1:
        pass


def case_no_truth_comprehension():
    x = Many()
    return [
        y
        for y in range(3)
        if x < y
    ]


def case_no_truth_walrus():
    if (x := Many()):
        return x


def case_no_truth_guard():
    return list(filter(lambda x: x < 1, [Many()]))


def case_strings():
    x, w = 3.14159, 8
    ä = "ünï — 漢字 🎉"
    return f"{x:>{w}.2f} {ä!r:.5} {x=} {'a' + 'b'} {[y for y in range(2)]}", "ü" + str(len(ä)), "%s" % (ä,)


def case_conditional():
    return [("a" if i else "b") if i < 2 else "c" for i in range(3)], (1 if [] else 2) + 1


def case_slices():
    values = list(range(10))
    values[2:4] = ["a", "b", "c"]
    values[::5] = [0] * len(values[::5])
    del values[-1], values[:1]
    first, *middle, last = values
    (a, (b, *c)), d = (1, (2, 3, 4)), values[1:-1:2]
    e = f = g = [1]
    return values, first, middle, last, a, b, c, d, e is f is g, values[:], values[1:2][0]


def case_unpack_too_few():
    a, (b, c) = 1, (2,)
    return a, b, c


def case_scopes():
    global total
    total += 1
    x = 1

    def change():
        nonlocal x
        x = x + 1
        del y[0]
        return x

    y = [1, 2]
    z: int = 3
    w: "undefined"  # noqa: F821
    v: list = [z]
    (q): int = 4
    return change(), x, y, z, v, q, total > 0, sorted(locals())


def case_deleted_name():
    x = 1
    del x
    return x


def case_assert():
    value = [1, 2]
    assert value, "never"
    assert len(value) == 3, f"{value} is short"


def case_docstrings():
    def documented(a: int = 1, *, b: "str" = "x") -> list:
        """Says what."""
        return [a, b]

    def only():
        """Nothing else."""

    class Inside:
        """A class."""

        attribute: int = 1

        def method(self):
            "A method."
            return self.attribute

    signature = str(inspect.signature(documented))
    docs = documented.__doc__, only.__doc__, Inside.__doc__, Inside.method.__doc__
    return signature, docs, documented.__annotations__, Inside.__annotations__, only()


def outside(x, scale=2):
    return x * scale


def case_code_objects():
    frame = sys._getframe()
    code = frame.f_code
    inner = lambda a: a + code.co_firstlineno  # noqa: E731
    facts = [
        [getattr(function.__code__, name, None) for name in ("co_name", "co_qualname", "co_firstlineno")]
        + [function.__code__.co_varnames, function.__code__.co_freevars, function.__code__.co_flags]
        for function in (outside, inner, Base.go, case_nested)
    ]
    cells = [cell.cell_contents is code for cell in inner.__closure__]
    source = inspect.getsource(outside), inspect.getsource(inner)
    restored = pickle.loads(pickle.dumps(outside))
    return facts, cells, source, restored is outside, restored(4), outside.__defaults__, frame.f_lineno


def case_frames():
    def caller():
        return [(entry.function, entry.lineno) for entry in inspect.stack(0)[:2]]

    return (
        caller(),
        sorted(
            vars(),
        ),
    )


def case_recursion():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def endless(n):
        return endless(n + 1)

    try:
        endless(0)
    except RecursionError as error:
        return fib(10), type(error).__name__


def case_generator_that_raises():
    def broken(n):
        for i in range(n):
            yield [
                1
                // (i - 1)
            ]

    return list(broken(3))


def case_partial_operators():
    half = functools.partial(operator.mul, 0.5)
    return half(4), functools.reduce(lambda a, b: a + b, [1, 2, 3]), list(map(str, [1])), max([1, 2], key=lambda v: -v)


def case_many_on_a_line():
    a = 1; b = a + 1; c = [a, b]; d = c[0] if c else None  # noqa: E702
    if d: d += 1; d *= 2  # noqa: E701, E702
    for e in c: d += e  # noqa: E701
    return a, b, c, d


def case_deep():
    v = 1
    return ((((((((((((((((((((((((((((((v + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1)  # fmt: skip


def case_empty():
    ...
