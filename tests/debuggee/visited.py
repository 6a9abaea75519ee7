"""Debuggers come and go; prints the port where they find it, and each turn."""

import time

import debugpy

print(debugpy.listen(("127.0.0.1", 0))[1], flush=True)


def visited():
    values, turns = range(9), 0
    while True:
        time.sleep(0.01)
        print(turns, flush=True)
        turns += 1  # @bp:turn


visited()
