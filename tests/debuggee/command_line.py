"""Says how it was started, and trains with what its first argument names going wrong."""

import __main__
import atexit
import json
import os
import signal
import sys

fault = sys.argv[1] if len(sys.argv) > 1 else "none"


def started():
    return {
        "argv": sys.argv,
        "name": __name__,
        "file": __file__,
        "package": __package__,
        "spec": None if __spec__ is None else __spec__.name,
        "path": sys.path[0],
        "isMain": __main__.__dict__ is globals(),
        "mainIsInModules": sys.modules["__main__"] is __main__,
        "doc": __doc__,
    }


print(json.dumps(started()), flush=True)
atexit.register(print, "the program's own end")

if fault == "exit":
    sys.exit(7)
if fault == "message":
    sys.exit("a last word")
if fault == "error":
    raise ValueError("of the user's")
if fault == "hook":
    sys.excepthook = lambda kind, error, traceback: print("own hook:", kind.__name__, traceback.tb_lineno)
    raise ValueError("of the user's")
if fault == "interrupt":
    os.kill(os.getpid(), signal.SIGINT)
if fault == "input":
    print("read:", input())
if fault in ("nan", "nothing"):
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(6):
        x = torch.randn(8, 4)
        if fault == "nan" and step == 3:
            x = x * float("nan")
        loss = model(x).pow(2).mean()  # @bp:loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # @bp:step
    print("weights are finite:", bool(torch.isfinite(model.weight).all()))
