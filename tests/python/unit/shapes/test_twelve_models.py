"""All names and calls of twelve models are in their traces, and right, by a record made without us."""

from __future__ import annotations

import inspect

import pytest
import torch
from eager_record import EagerRecord
from shape_models import MODELS
from shape_score import Score, score

from tensorpeek.probe.shapes.call import Target
from tensorpeek.probe.shapes.explicit import entry_of, traced
from tensorpeek.probe.shapes.tracer import Tracer, to_trace

BATCH = 3


@pytest.mark.parametrize("name", MODELS)
def test_everything_is_seen_and_right(name: str) -> None:
    torch.manual_seed(0)
    model, arguments = MODELS[name](BATCH)
    model.eval()
    path = inspect.getfile(type(model))
    with torch.no_grad(), EagerRecord([path]) as record:
        model(*arguments)

    with torch.no_grad(), Tracer(lambda file: file == path) as tracer:
        model(*arguments)
    as_it_runs = to_trace(
        tracer.recording, source="real", entry="", symbols=[], modules=[], remarks=[], problem=""
    )
    best = traced(Target(entry_of(model), model, None, arguments, {}))

    assert record.names
    assert record.calls
    whole = Score(*[len(record.names)] * 3, *[len(record.calls)] * 3)
    assert score(as_it_runs, record) == whole
    assert score({**best, "files": [file for file in best["files"] if file["path"] == path]}, record) == whole
    assert best["remarks"] == []


def test_what_is_missing_or_wrong_is_told() -> None:
    torch.manual_seed(0)
    model, arguments = MODELS["MLP"](BATCH)
    with EagerRecord([inspect.getfile(type(model))]) as record:
        model(*arguments)
    trace = traced(Target(entry_of(model), model, None, arguments, {}))
    (file,) = trace["files"]
    file["expressions"].pop()
    file["names"][0]["values"][0]["sizes"][1] += 1

    found = score(trace, record)

    assert (found.names_covered, found.names_right) == (found.names, found.names - 1)
    assert found.calls_covered == found.calls_right == found.calls - 1
    assert len(found.faults) == 2
