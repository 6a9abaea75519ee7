"""However a session ends, the client hears of it and no process stays; the harness looks for leftovers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from harness import ADAPTER, DebugSession, is_alive, wait_until


def paused(session: DebugSession, console: str = "internalConsole") -> dict[str, int]:
    session.launch("endless.py", stops=["turn"], console=console)
    session.wait_for_stop()
    return session.processes()


def assert_all_end(pids: dict[str, int], besides: str = "") -> None:
    wait_until(
        lambda: not [role for role, pid in pids.items() if role != besides and is_alive(pid)],
        20,
        f"end of {pids}",
    )


@pytest.mark.parametrize("victim", ["debugpy", "launcher", "debuggee"])
def test_kill_one_and_the_client_hears_of_the_end(session: DebugSession, victim: str) -> None:
    pids = paused(session)
    os.kill(pids[victim], signal.SIGKILL)
    session.client.next_event("terminated")
    session.client.ask("threads", {}, timeout=10)
    session.disconnect()
    assert_all_end(pids)


@pytest.mark.parametrize("victim", ["debugpy", "debuggee"])
def test_kill_one_while_the_program_runs(session: DebugSession, victim: str) -> None:
    session.launch("endless.py")
    session.client.next_event("output", where=lambda body: "begun" in body["output"])
    pids = session.processes()
    os.kill(pids[victim], signal.SIGKILL)
    session.client.next_event("terminated")
    session.disconnect()
    assert_all_end(pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_kill_our_adapter(session: DebugSession, number: int) -> None:
    pids = paused(session)
    os.kill(pids["adapter"], number)
    session.client.wait_until_ended()
    session.process.wait(20)
    assert_all_end(pids)


def test_the_client_vanishes(session: DebugSession) -> None:
    pids = paused(session)
    session.client.close()
    session.process.wait(20)
    assert_all_end(pids)


def test_the_client_vanishes_before_the_launch(session: DebugSession) -> None:
    session.initialize()
    session.client.close()
    assert session.process.wait(20) == 0


def test_the_client_vanishes_during_the_launch(session: DebugSession) -> None:
    session.launch("endless.py", configuration_done=False)
    session.client.close()
    assert session.process.wait(20) == 0


@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
def test_disconnect_ends_a_launched_program(session: DebugSession, console: str) -> None:
    pids = paused(session, console)
    session.disconnect()
    assert session.process.wait(20) == 0
    assert session.client.events("terminated")
    assert_all_end(pids)


def test_terminate_then_disconnect(session: DebugSession) -> None:
    pids = paused(session)
    session.request("terminate")
    session.client.next_event("terminated")
    session.disconnect()
    assert session.process.wait(20) == 0
    assert_all_end(pids)


def test_restart_is_disconnect_and_launch(session: DebugSession) -> None:
    pids = paused(session)
    session.request("disconnect", restart=True)
    assert session.process.wait(20) == 0
    assert_all_end(pids)


def test_a_program_that_ends_while_paused(session: DebugSession) -> None:
    session.launch("ending.py", stops=["here"])
    stop = session.wait_for_stop()
    session.client.next_event("terminated")
    assert session.client.events("exited")[0]["exitCode"] != 0
    response = session.client.ask("scopes", {"frameId": stop.frame}, timeout=10)
    assert not response["success"]


def test_stopping_while_a_request_takes_long(session: DebugSession) -> None:
    session.launch("loop.py", stops=["return"])
    stop = session.wait_for_stop()
    slow = session.client.send(
        "evaluate", {"expression": "__import__('time').sleep(3600)", "frameId": stop.frame, "context": "repl"}
    )
    session.disconnect()
    assert session.process.wait(30) == 0
    assert session.client.has_response(slow)


def test_a_port_nobody_comes_to_can_be_ended(session: DebugSession) -> None:
    process = session.spawn(sys.executable, str(ADAPTER), "--port", "0", "--no-token", stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"listening on 127.0.0.1:")
    process.terminate()
    assert process.wait(20) == 0


def test_a_port_nobody_comes_to_ends_with_its_parent(session: DebugSession) -> None:
    start = f"subprocess.Popen([{sys.executable!r}, {str(ADAPTER)!r}, '--port', '0', '--no-token']).pid"
    code = f"import subprocess; print({start}, flush=True); input()"
    parent = session.spawn(sys.executable, "-c", code, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid, _listening = sorted(parent.stdout.readline() for _ in range(2))
    adapter = int(pid)
    parent.kill()
    wait_until(lambda: not is_alive(adapter), 20, "end of the adapter")
