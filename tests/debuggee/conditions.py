"""Lines for conditions: a function's loop, a generator, a class body, a module-level loop. No torch."""


def losses():
    for index in range(40):
        yield 1.0 + 0.1 * ((index * 37) % 17) / 17
    yield 50.0
    yield from (1.0, 1.1)


def train():
    seen = 0
    for loss in losses():
        seen += 1  # @bp:loop
    return seen  # @bp:trained


def generated(values):
    for value in values:
        yield value * 2  # @bp:generator


class Body:
    for member in range(5):
        doubled = member * 2  # @bp:class


squares = [n * n for n in range(6)]  # @bp:comprehension
total = sum(generated(range(4)))
for number in range(6):
    total += number  # @bp:module
print("trained", train())
