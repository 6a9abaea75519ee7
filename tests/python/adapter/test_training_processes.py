"""Conditions where the program is not simply launched: attached to, a child, or without the probe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness import DEBUGGEES, DebugSession, line_of, wait_until

PATIENCE = 90.0
"""Seconds; importing torch takes its time on a busy machine."""
pytestmark = pytest.mark.timeout(300)

PROGRAM = DEBUGGEES / "going_wrong.py"
NAN = {"filterId": "tp.nan-gradient"}
LISTENING = f"""
import debugpy, runpy, sys
print(debugpy.listen(("127.0.0.1", 0))[1], flush=True)
debugpy.wait_for_client()
sys.argv = [{str(PROGRAM)!r}, "nan", "8"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_after_a_detach_the_program_runs_on_and_is_not_stopped_again() -> None:
    with DebugSession() as session:
        process = session.spawn(sys.executable, "-c", LISTENING, stdout=subprocess.PIPE)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        session.attach(connect={"host": "127.0.0.1", "port": port}, exceptions=[NAN])
        stop = session.wait_for_stop(PATIENCE)
        assert stop.line == line_of("step", PROGRAM)
        session.disconnect()
        output, _ = process.communicate(timeout=PATIENCE)
        assert output.decode().splitlines()[-1] == "done"


@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_a_child_that_trains_is_watched_as_its_parent_is(way: str) -> None:
    with DebugSession() as session:
        session.launch("child_training.py", args=[way], exceptions=[NAN])
        # With `spawn` there is another one, multiprocessing's own, which keeps track of resources.
        children = [session.next_child(PATIENCE) for _ in range(2 if way == "spawn" else 1)]
        wait_until(lambda: any(child.client.events("stopped") for child in children), PATIENCE, "a stop")
        child = next(child for child in children if child.client.events("stopped"))
        stop = child.wait_for_stop()
        assert (stop.line, stop.event["description"]) == (line_of("step", PROGRAM), "NaN in gradients")
        assert "change nothing" in child.evaluate("tp.skip_step()", "repl")["result"]
        child.resume()
        assert session.run_to_end(PATIENCE) == 0
        assert "exit code 0" in session.output()
        assert not session.client.events("stopped")


def test_without_debugging_the_boxes_do_no_harm() -> None:
    with DebugSession() as session:
        session.initialize()
        session.launch(PROGRAM, args=["nan", "3"], exceptions=[NAN], noDebug=True)
        assert session.run_to_end(PATIENCE) == 0


def test_with_a_torch_that_is_too_old_the_boxes_are_refused_and_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text('__version__ = "2.1.2"\n')
    program = tmp_path / "program.py"
    program.write_text("import torch\n\nprint(torch.__version__)\nx = 1  # @bp:here\n")
    with DebugSession() as session:
        session.launch(program, stops=["here"], exceptions=[NAN])
        session.wait_for_stop(PATIENCE)
        while session.client.next_event("tensorpeek/mode")["mode"] != "plain":
            pass
        answer = session.set_exceptions([NAN, "uncaught"])
        assert [each["verified"] for each in answer] == [True, False]
        assert session.run_to_end(PATIENCE) == 0
        assert "2.1.2" in session.output()
