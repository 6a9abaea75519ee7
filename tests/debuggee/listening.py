"""Waits for a debugger as a user's program does: `listening.py listen` prints the port, `listening.py connect PORT`."""

import sys

import debugpy

if sys.argv[1] == "listen":
    host, port = debugpy.listen(("127.0.0.1", 0))
    print(port, flush=True)
    debugpy.wait_for_client()
else:
    debugpy.connect(("127.0.0.1", int(sys.argv[2])))
    debugpy.wait_for_client()

value = [1, 2, 3]
print("attached", flush=True)  # @bp:attached
