"""Under the debugger, a NaN is led back to the line that made it by a copy that the debugger never sees."""

from __future__ import annotations

import pytest

from harness import DEBUGGEES, DebugSession, line_of

PROGRAM = DEBUGGEES / "going_wrong.py"
PATIENCE = 90.0
"""Seconds; importing torch takes its time on a busy machine."""
pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("way", ["nan", "thread nan"])
def test_the_producers_line_is_told_at_the_stop(way: str) -> None:
    with DebugSession() as session:
        # Holds in the copy only, which collects no garbage, and must not stop there.
        never = {"marker": "root", "condition": "not __import__('gc').isenabled()"}
        session.launch(PROGRAM, args=[way, "6"], stops=[never], exceptions=[{"filterId": "tp.nan-gradient"}])
        stop = session.wait_for_stop(PATIENCE)
        assert stop.line == line_of("step", PROGRAM)
        told = session.request("exceptionInfo", threadId=stop.thread)["description"]
        assert f"backward of `sqrt` at going_wrong.py:{line_of('root', PROGRAM)}, step 5" in told
        finding = session.request("tensorpeek/training")["findings"][-1]
        assert (finding["path"], finding["line"]) == (str(PROGRAM), line_of("root", PROGRAM))
        assert session.run_to_end(PATIENCE) == 0
        assert not session.client.events("debugpyAttach")
        assert len(session.client.events("stopped")) == 1
        assert "settrace" not in session.output()
