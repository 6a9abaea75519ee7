"""A list of a million ints."""

value = list(range(1_000_000))
while True:
    step = 0  # @bp:here
    step += 1
