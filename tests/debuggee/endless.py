"""Runs until it is ended from outside; says when it has begun."""

import sys
import time


def wait():
    turns = 0
    while turns < 60_000:
        turns += 1
        time.sleep(0.01)  # @bp:turn


print("begun", flush=True)
if "--raise" in sys.argv:
    raise ValueError("on purpose")
wait()
