"""The training of `going_wrong` in a process of its own, started in the way that the argument names."""

import multiprocessing
import sys

from going_wrong import train

if __name__ == "__main__":
    process = multiprocessing.get_context(sys.argv[1]).Process(target=train, args=("nan", 8))
    process.start()
    process.join()
    print("exit code", process.exitcode)
