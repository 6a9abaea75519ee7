"""A small program without torch: a loop with locals of the plain kinds."""

import sys


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def total(values):
    result = 0
    for value in values:
        result += value  # @bp:add
    return result  # @bp:return


def main():
    point = Point(1, 2)
    numbers = [1, 2, 3]
    print("before")
    answer = total(numbers)
    print("answer", answer, file=sys.stderr)
    return point  # @bp:end


if __name__ == "__main__":
    main()
