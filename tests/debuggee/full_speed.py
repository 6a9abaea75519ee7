"""A main loop on the module's level that says when it is traced, and when no longer.

Words after its name: `threads` for two workers beside it, `fail` and `fail-in-thread` for an exception that
nothing catches, `own-hook` for a hook of the program's own beside it, `handled` for one that is, `breakpoint` for a `breakpoint()` in turn 50.
"""

import sys
import threading
import time


def work(number):
    doubled = number * 2
    return doubled  # @bp:work


def fail():
    reason = "on purpose"
    raise ValueError(reason)  # @bp:fail


def handle():
    try:
        fail()
    except ValueError:
        return


def turn_in_thread(name):
    turns = 0
    while not done:
        turns += 1  # @bp:thread
        work(turns)
        traced[name] = sys.gettrace() is not None
        time.sleep(0.001)


if "own-hook" in sys.argv:
    sys.excepthook = lambda *exception: print("own hook", flush=True)
done = False
traced = {}
said = None
threads = [
    threading.Thread(target=turn_in_thread, args=[f"t{n}"]) for n in range(2 * ("threads" in sys.argv))
]
for thread in threads:
    thread.start()
turns = 0
while not done:
    turns += 1  # @bp:loop
    value = work(turns)
    traced["main"] = sys.gettrace() is not None
    if "handled" in sys.argv:
        handle()
    if "breakpoint" in sys.argv and turns == 50:
        breakpoint()
    if turns > 100 and "fail" in sys.argv:
        fail()
    if turns > 100 and "fail-in-thread" in sys.argv:
        failing = threading.Thread(target=fail)
        failing.start()
        failing.join()
        break
    everything = sorted(traced.items())
    if everything != said and len(traced) == 1 + len(threads):
        said = everything
        print("traced:", *(name for name, is_traced in said if is_traced), ".", flush=True)
    time.sleep(0.001)  # @bp:sleep
print("ended", flush=True)  # @bp:end
for thread in threads:
    thread.join()
