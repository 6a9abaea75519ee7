"""What a benchmark is doing, for whoever waits; the tables go to stdout, this does not."""

import sys


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)
