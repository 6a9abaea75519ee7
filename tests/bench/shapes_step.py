"""What the free trace of shapes costs in the one step that it traces, beside the bare step."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from paused import DEBUGGEES
from progress import say
from report import OURS, Benchmark, Row
from timing import Sample

BARE = "bare"
AT_MOST = 1.1
WARM_UP = 10


def run(quick: bool) -> Benchmark:
    import torch

    torch.set_num_threads(1)
    rounds = 30 if quick else 200
    rows: list[Row] = []
    before: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, batch) in models().items():
            say(name)
            step = stepper(make(), batch())
            for _ in range(WARM_UP):
                step()
            taken: dict[str, dict[str, list[float]]] = {"wall": defaultdict(list), "CPU": defaultdict(list)}
            for turn in range(rounds):
                for peer in (OURS, BARE) if turn % 2 else (BARE, OURS):
                    written: Callable[[], float] | None = traced(make, Path(folder)) if peer == OURS else None
                    wall, cpu = time.perf_counter(), time.thread_time()
                    step()
                    taken["CPU"][peer].append(time.thread_time() - cpu)
                    taken["wall"][peer].append(time.perf_counter() - wall)
                    if written is not None:
                        before.append(written())
            rows += [
                Row(
                    f"the first step of {name}, {clock} time",
                    {peer: Sample.of(times[peer]) for peer in (OURS, BARE)},
                    at_least={BARE: 1 / AT_MOST},
                    note=f"asked: at most {AT_MOST:g} of the bare step",
                )
                for clock, times in taken.items()
            ]
    least, most = sorted(before)[len(before) // 2] * 1e3, max(before) * 1e3
    return Benchmark(
        "The free trace of shapes",
        rows,
        notes=[
            f"{rounds} steps with and without in turns, of a model that has trained before. CPU time is of",
            "the thread that trains. While the model was built, before the step, making the other code took",
            f"at most {most:.0f} ms, and {least:.1f} ms where the text is known.",
        ],
    )


def models() -> dict[str, Any]:
    specification = spec_from_file_location("step_models", DEBUGGEES / "step_models.py")
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.MODELS


def stepper(model: Any, batch: Any) -> Callable[[], None]:
    import torch

    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step() -> None:
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def traced(make: Callable[[], Any], runs: Path) -> Callable[[], float]:
    """The next step is traced as the first of a program that has just built such a model.

    Returns what waits for the record to be written, and gives the seconds that were taken before the step.
    """
    import threading

    from tensorpeek.probe.run_output import RUN_OUTPUT
    from tensorpeek.probe.shapes.first_step import FirstStep

    RUN_OUTPUT.write_into(str(runs))
    first_step = FirstStep()
    first_step.wait()
    make()

    def written() -> float:
        for thread in threading.enumerate():
            if thread.name == "tensorpeek":
                thread.join()
        assert first_step.was_traced, "the step was not traced"
        return first_step.seconds_before

    return written
