"""The program is not traced while nothing needs it, and everything works at once when something does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import debugpy  # type: ignore[import-untyped]
import pytest

from harness import DEBUGGEES, DebugSession, line_of
from harness.pythons import find_python

PROGRAM = "full_speed.py"
PATH = DEBUGGEES / PROGRAM
THREADS = 3

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring costs nothing when idle")


def wait_until_traced(session: DebugSession, *threads: str) -> None:
    """Waits until the program says that these of its threads are traced and no others."""
    said = f"traced: {' '.join((*threads, '.'))}\n"
    session.client.wait_until(
        lambda: (
            [line for line in session.output().splitlines(True) if line.startswith("traced")][-1:] == [said]
        ),
        what=said,
    )


def set_breakpoint(session: DebugSession, *markers: str) -> None:
    lines = [{"line": line_of(marker, PATH)} for marker in markers]
    body = session.request("setBreakpoints", source={"path": str(PATH)}, breakpoints=lines)
    assert [breakpoint["verified"] for breakpoint in body["breakpoints"]] == [True] * len(markers)


def stop_at(session: DebugSession, marker: str) -> None:
    stop = session.wait_for_stop()
    assert (stop.frames[0]["source"]["path"], stop.line) == (str(PATH), line_of(marker, PATH))


def start(session: DebugSession, *words: str, **attributes: Any) -> None:
    session.launch(PROGRAM, args=list(words), **attributes)


def end(session: DebugSession) -> None:
    session.evaluate("globals().update(done=True)", "repl")
    set_breakpoint(session)
    assert session.run_to_end() == 0


def test_from_the_first_line_on(session: DebugSession) -> None:
    start(session)
    wait_until_traced(session)
    assert "traced: main" not in session.output()


def test_threads_that_start_later(session: DebugSession) -> None:
    start(session, "threads")
    wait_until_traced(session)


@pytest.mark.parametrize("marker", ["loop", "work", "sleep"])
def test_a_breakpoint_set_while_it_runs_hits_at_once(session: DebugSession, marker: str) -> None:
    start(session)
    wait_until_traced(session)
    set_breakpoint(session, marker)
    stop_at(session, marker)
    session.resume()
    stop_at(session, marker)
    end(session)


def test_it_is_off_again_when_the_last_breakpoint_is_gone(session: DebugSession) -> None:
    start(session, stops=["loop"])
    stop_at(session, "loop")
    session.resume()
    stop_at(session, "loop")
    set_breakpoint(session)
    session.resume()
    wait_until_traced(session)
    set_breakpoint(session, "work")
    stop_at(session, "work")
    end(session)


def test_a_breakpoint_removed_while_it_runs(session: DebugSession) -> None:
    start(session, stops=["end"])
    wait_until_traced(session, "main")
    set_breakpoint(session)
    wait_until_traced(session)


def test_a_breakpoint_in_a_thread(session: DebugSession) -> None:
    start(session, "threads")
    wait_until_traced(session)
    set_breakpoint(session, "thread")
    stop_at(session, "thread")
    end(session)


def test_pause_and_every_step(session: DebugSession) -> None:
    start(session)
    wait_until_traced(session)
    session.request("pause", threadId=1)
    stop = session.wait_for_stop()
    assert stop.event["reason"] == "pause"
    set_breakpoint(session, "loop")
    session.resume()
    stop_at(session, "loop")
    set_breakpoint(session)
    lines = [session.next().line, session.step_in().line, session.next().line, session.step_out().line]
    loop, work = line_of("loop", PATH), line_of("work", PATH)
    assert lines == [loop + 1, work - 1, work, loop + 1]
    end(session)


def test_next_after_a_pause(session: DebugSession) -> None:
    start(session)
    wait_until_traced(session)
    for _ in range(3):
        session.request("pause", threadId=1)
        session.wait_for_stop()
        # From within `work` and with what is printed there are 14 lines to the next turn's first.
        lines = {session.next().line for _ in range(14)}
        assert {line_of("loop", PATH), line_of("sleep", PATH)} <= lines
        session.resume()
        wait_until_traced(session)


def test_pause_stops_all_threads(session: DebugSession) -> None:
    start(session, "threads")
    wait_until_traced(session)
    session.request("pause", threadId=1)
    stop = session.wait_for_stop()
    assert stop.event["allThreadsStopped"]
    threads = session.request("threads")["threads"]
    assert len(threads) == THREADS
    for thread in threads:
        assert session.request("stackTrace", threadId=thread["id"])["stackFrames"]
    session.resume()
    wait_until_traced(session)


@pytest.mark.parametrize("filters", [["raised"], ["userUnhandled", "raised"]])
def test_exceptions_as_they_are_raised(session: DebugSession, filters: list[str]) -> None:
    start(session, "handled")
    wait_until_traced(session)
    session.request("setExceptionBreakpoints", filters=filters)
    stop_at(session, "fail")
    session.request("setExceptionBreakpoints", filters=[])
    session.resume()
    wait_until_traced(session)


@pytest.mark.parametrize("words", ["fail", "fail-in-thread", "fail own-hook"])
def test_an_exception_that_nothing_catches(session: DebugSession, words: str) -> None:
    start(session, *words.split(), exceptions=["uncaught"])
    stop = session.wait_for_stop()
    assert (stop.event["reason"], stop.line) == ("exception", line_of("fail", PATH))
    assert session.locals()["reason"]["value"] == "'on purpose'"
    information = session.request("exceptionInfo", threadId=stop.thread)
    assert information["exceptionId"] == "ValueError"
    session.run_to_end()
    assert len(session.client.events("stopped")) == 1


def test_an_exception_that_nothing_catches_passes_without_its_filter(session: DebugSession) -> None:
    start(session, "fail")
    assert session.run_to_end() == 1
    assert not session.client.events("stopped")


def test_a_function_breakpoint(session: DebugSession) -> None:
    start(session)
    wait_until_traced(session)
    session.request("setFunctionBreakpoints", breakpoints=[{"name": "work"}])
    stop = session.wait_for_stop()
    assert stop.frames[0]["name"].endswith("work")
    session.request("setFunctionBreakpoints", breakpoints=[])
    session.resume()
    wait_until_traced(session)


def test_stop_on_entry(session: DebugSession) -> None:
    start(session, stopOnEntry=True)
    stop = session.wait_for_stop()
    assert stop.event["reason"] == "entry"
    assert session.next().line > stop.line
    session.resume()
    wait_until_traced(session)


def test_breakpoint_in_the_program(session: DebugSession) -> None:
    start(session, "breakpoint")
    assert session.wait_for_stop().line == line_of("loop", PATH) + 7
    session.resume()
    wait_until_traced(session)


def test_goto(session: DebugSession) -> None:
    start(session)
    wait_until_traced(session)
    set_breakpoint(session, "sleep")
    stop_at(session, "sleep")
    set_breakpoint(session)
    target = session.request("gotoTargets", source={"path": str(PATH)}, line=line_of("loop", PATH))[
        "targets"
    ][0]
    session.request("goto", threadId=1, targetId=target["id"])
    stop_at(session, "loop")
    session.resume()
    wait_until_traced(session)


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_pythons(version: str) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    libs = {"TENSORPEEK_BUNDLED_LIBS": str(Path(debugpy.__file__).parents[1])}
    with DebugSession(python=python, environment=libs) as session:
        start(session, python=python)
        wait_until_traced(session)
        set_breakpoint(session, "loop")
        stop_at(session, "loop")
        assert session.next().line == line_of("loop", PATH) + 1
        set_breakpoint(session)
        session.resume()
        wait_until_traced(session)
        session.request("pause", threadId=1)
        session.wait_for_stop()
        assert len({session.next().line for _ in range(12)}) > 3
        end(session)
