"""Prints how it was started, as JSON."""

import json
import os
import sys


def main():
    print(
        json.dumps(
            {
                "arguments": sys.argv[1:],
                "folder": os.getcwd(),
                "environment": {k: v for k, v in os.environ.items() if k.startswith("GIVEN_")},
                "python": sys.executable,
                "pythonpath": os.environ.get("PYTHONPATH", ""),
                "path": sys.path,
            }
        )
    )  # @bp:end


main()
