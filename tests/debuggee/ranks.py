"""Starts a process that has a rank, as torchrun does."""

import os
import subprocess
import sys

if "RANK" in os.environ:
    rank = int(os.environ["RANK"])
    print("rank", rank)  # @bp:rank
else:
    subprocess.run([sys.executable, __file__], env={**os.environ, "RANK": "3"}, check=True)
