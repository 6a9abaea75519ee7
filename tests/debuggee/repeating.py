"""Runs one program after the other in this process, each named by a line in the pipe that the first word names.

What the other words name is imported once, before the first program.
"""

import gc
import importlib
import json
import runpy
import sys

pipe, modules = sys.argv[1], sys.argv[2:]
for name in modules:
    importlib.import_module(name)
print("(ready)", flush=True)
for line in open(pipe):
    gc.collect()  # of the program before, which nobody watches any more
    sys.argv, end = json.loads(line)
    code = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as exit:
        code = exit.code or 0
    print(f"{end} {code}", flush=True)
