"""Trains a little; where its argument says, a finding is told as the training tells it, from code of torch's."""

import sys
import threading

import torch

ENTRY = sys.modules.get("tensorpeek.probe.entry (debugger)")
"""The probe; absent where no adapter of ours debugs."""
TOLD: list[str] = []


def tell(title: str) -> None:
    if ENTRY is None or title in TOLD:
        return
    TOLD.append(title)
    frame = sys._getframe(1)
    while frame.f_code.co_name not in ("train_step", "<module>"):
        frame = frame.f_back if frame.f_back is not None else sys._getframe(1)
    finding = {
        "number": 1,
        "condition": "loss-spike",
        "title": title,
        "message": "The loss is 7.5, and was 0.2 before.",
        "path": __file__,
        "line": frame.f_lineno,
        "lineText": "x = 1",
        "module": "0",
        "step": 3,
        "epoch": 1,
        "rank": 2,
        "time": "2026-11-30T19:00:00.000+00:00",
        "value": 7.5,
        "threshold": 2.0,
        "history": [0.2, 0.25, 0.2, "nan", 7.5],
        "evidence": ["layer  norm", "0.weight  12"],
        "next": ["Look at the batch."],
        "related": [{"path": __file__, "line": 1, "message": "It began here."}],
        "stopped": True,
    }
    values = {"outputs": torch.arange(6.0), "rows": [3, 1]}
    ENTRY.FEATURES[0]._found(finding, frame, values)


def train_step(model, optimizer, where):
    inputs = torch.ones(4, 3)
    outputs = model(inputs)  # @bp:forward
    loss = outputs.square().mean()
    if where == "tensor":
        outputs.register_hook(lambda grad: tell("tensor"))
    loss.backward()  # @bp:backward
    optimizer.step()  # @bp:step
    optimizer.zero_grad()
    return loss.item()  # @bp:return


def main(where):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    if where == "forward":
        model[0].register_forward_hook(lambda *_: tell("forward"))
    elif where == "backward":
        model[0].register_full_backward_hook(lambda *_: tell("backward"))
    elif where == "step":
        optimizer.register_step_pre_hook(lambda *_: tell("step"))
    elif where == "mode":
        with Mode():
            train_step(model, optimizer, where)
    for _ in range(3):
        train_step(model, optimizer, where)
    print("weights", [round(value, 6) for value in model[0].weight.flatten().tolist()])


class Mode(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "mean" in str(func):
            tell("mode")
        return func(*args, **(kwargs or {}))


if __name__ == "__main__":
    place = sys.argv[1]
    if place.startswith("thread "):
        thread = threading.Thread(target=main, args=(place.split()[1],), name="trainer")
        thread.start()
        thread.join()
    else:
        main(place)
    print("done")
