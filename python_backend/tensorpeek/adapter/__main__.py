# ruff: noqa: PTH100, PTH120, UP036
"""Entry point, as a module or as a script; parses on every Python 3, to say when one is too old."""

import os
import sys

if __name__ == "__main__":
    backend = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if not __package__:
        sys.path[0] = backend  # the folder of this file would make modules of ours top-level names
    if sys.version_info < (3, 9):
        from tensorpeek.adapter.too_old import main
    else:
        from tensorpeek.adapter.command_line import main
    sys.exit(main(sys.argv[1:]))
