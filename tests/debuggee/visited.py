"""Debuggers come and go; prints the port where they find it, and a line each time that one has left."""

import time

import debugpy

print(debugpy.listen(("127.0.0.1", 0))[1], flush=True)


def visited():
    values, turns, was_visited = range(9), 0, False
    while True:
        time.sleep(0.01)
        is_visited = debugpy.is_client_connected()
        if was_visited and not is_visited:
            print("left", flush=True)
        was_visited = is_visited
        turns += 1  # @bp:turn


visited()
