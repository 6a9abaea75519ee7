"""A training run that is paused and looked at from all sides ends as if nobody had watched, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from observer.look import Seen
from observer.runs import WITHOUT_NUMPY, Watch, run_bare, run_watched, run_with_trace
from tensorpeek.runs import shapes_file

pytestmark = pytest.mark.timeout(300)
"""Each test imports torch twice, which takes a while on a busy machine."""

Stops = Sequence["str | dict[str, Any]"]

SCRIPTS: list[tuple[str, Stops]] = [
    ("mlp.py", ["hooked", "backward", "step"]),
    ("cnn.py", ["forward", "mode", "inference"]),
    ("transformer.py", ["autocast", "clipped"]),
    ("rnn.py", ["unrolled", "dispatch"]),
    ("gan.py", ["critic", "generator", "freed"]),
    ("lbfgs.py", ["closure", "fitted"]),
    ("accumulation.py", ["micro", "update"]),
    ("workers.py", ["batch"]),
]


def assert_same_run(
    script: str,
    stops: Stops,
    environment: Mapping[str, str] | None = None,
    children: int = 0,
    settings: Mapping[str, float] | None = None,
    watch: Watch | None = None,
    least: int = 4,
) -> list[Seen]:
    with ThreadPoolExecutor(1) as beside:
        bare_run = beside.submit(run_bare, script, environment)
        watched, seen = run_watched(script, stops, environment, children, settings, watch)
        bare = bare_run.result()
    assert bare.exit_code == 0, bare.stderr
    if watch is not None and watch.everything:
        watched, bare = watched.without_profile(), bare.without_profile()
    assert json.loads(watched.stdout.splitlines()[-1]) == json.loads(bare.stdout.splitlines()[-1])
    assert watched == bare
    assert len(seen) >= least
    assert all(stop.expansions > 10 and stop.evaluations > 5 for stop in seen)
    assert not seen or sum(stop.rows for stop in seen) > len(seen)
    assert not seen or sum(stop.inline_values for stop in seen) > len(seen)
    return seen


@pytest.mark.parametrize(("script", "stops"), SCRIPTS, ids=[script for script, _ in SCRIPTS])
def test_run_is_the_same(script: str, stops: Stops) -> None:
    assert_same_run(script, stops)


def test_run_with_watched_workers_is_the_same() -> None:
    sample = {"marker": "sample", "condition": "index % 8 == 0"}
    assert_same_run("workers.py", [sample], children=4)


def test_run_without_numpy_is_the_same() -> None:
    assert_same_run("mlp.py", ["hooked", "step"], WITHOUT_NUMPY)


def test_run_with_unfinished_values_made_exact_is_the_same() -> None:
    settings = {"valueBudgetMs": 0.1, "answerBudgetMs": 0.1}
    seen = assert_same_run("gan.py", ["generator"], settings=settings)
    assert sum(stop.lazy for stop in seen) > 0


@pytest.mark.parametrize("script", [script for script, _ in SCRIPTS])
def test_run_with_every_condition_ticked_is_the_same(script: str) -> None:
    assert_same_run(script, [], watch=Watch(everything=True), least=0)


def test_run_with_all_that_can_be_watched_at_once_is_the_same() -> None:
    conditions = [
        {"marker": "backward", "condition": "tp.spike(loss) or tp.changed(logits) or tp.norm(hidden) > 0"},
        {"marker": "step", "condition": "tp.every(2) and tp.grad_norm(model, optimizer) >= 0"},
        {"marker": "hooked", "logMessage": "{tp.line(hidden)} {tp.dead(hidden)} {tp.outside(hidden, 0, 1)}"},
    ]
    watch = Watch(everything=True, modules=["0", "*[backward]"], variables=["loss", "logits"])
    assert_same_run("mlp.py", conditions, watch=watch)


@pytest.mark.parametrize("script", [script for script, _ in SCRIPTS])
def test_run_whose_first_step_is_traced_is_the_same(script: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as beside:
        bare_run = beside.submit(run_bare, script)
        traced = run_with_trace(script, tmp_path)
        bare = bare_run.result()
    # The run asks for the value of a loss, also without conditions.
    without, traced = bare.without_profile(), traced.without_profile()
    assert (traced.exit_code, traced.stdout) == (without.exit_code, without.stdout)
    ours = [line for line in traced.stderr.splitlines() if line not in bare.stderr.splitlines()]
    assert [line.split(":")[0].strip() for line in ours[:1]] == ["tensorpeek"]
    traces = shapes_file.newest(tmp_path)
    # What is fitted there is no module.
    assert [trace["source"] for trace in traces] == ["step"] * (script != "lbfgs.py")
    assert all(trace["modules"] for trace in traces)
