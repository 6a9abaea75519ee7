"""A port of ours serves only whoever knows the token, because every user of the machine can connect to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import ADAPTER, BACKEND, DebugSession, wait_until
from harness.processes import cmdline
from tensorpeek.adapter.access import Access
from tensorpeek.adapter.launch_attributes import StartAttributes

TOKEN = "the token of this test"
REFUSAL = "This debug adapter serves only the editor that started it."


class Listening:
    """An adapter on a port, and how to visit it."""

    def __init__(self, session: DebugSession, *arguments: str, token: str = TOKEN) -> None:
        self._session = session
        self.process = session.spawn(
            *(sys.executable, str(ADAPTER), "--port", "0", *arguments),
            env={**session.environment, **({"TENSORPEEK_ACCESS_TOKEN": token} if token else {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def visit(self) -> DebugSession:
        assert self.process.stdout is not None
        host, _, port = self.process.stdout.readline().decode().removeprefix("listening on ").partition(":")
        return DebugSession(address=(host, int(port)), mark=self._session.mark)


@pytest.fixture
def listening(session: DebugSession) -> Iterator[Listening]:
    listening = Listening(session)
    yield listening
    wait_until(lambda: listening.process.poll() is not None, what="end of the adapter")


def test_whoever_knows_the_token_is_served_and_nobody_inherits_it(
    listening: Listening, session: DebugSession
) -> None:
    with listening.visit() as visitor:
        code = "import os; print('TENSORPEEK_ACCESS_TOKEN' in os.environ)"
        visitor.launch(code=code, tensorpeek={"accessToken": TOKEN})
        visitor.client.next_event("terminated")
        assert visitor.output("stdout").strip() == "False"
        assert TOKEN not in cmdline(listening.process.pid)


@pytest.mark.parametrize("presented", [{}, {"tensorpeek": {}}, {"tensorpeek": {"accessToken": "another"}}])
@pytest.mark.parametrize("command", ["launch", "attach"])
def test_whoever_does_not_know_it_starts_nothing(
    listening: Listening, tmp_path: Path, command: str, presented: dict[str, Any]
) -> None:
    trace = tmp_path / "trace"
    with listening.visit() as stranger:
        stranger.initialize()
        code = f"open({str(trace)!r}, 'w')"
        answer = stranger.client.ask(command, {"code": code, "python": [sys.executable], **presented})
        assert answer["message"] == REFUSAL
        stranger.client.wait_until_ended()
    assert not trace.exists()


@pytest.mark.parametrize("token", ["", "another", "é", TOKEN[:-1], TOKEN + " ", None, 5, [TOKEN], {}])
def test_only_the_token_itself_opens(token: object) -> None:
    access = Access(TOKEN)
    start = StartAttributes.of("launch", {"tensorpeek": {"accessToken": token}})
    assert not access.present(start.access_token)
    assert not access.permits("evaluate")
    assert access.present(StartAttributes.of("launch", {"tensorpeek": {"accessToken": TOKEN}}).access_token)
    assert access.permits("evaluate")


@pytest.mark.parametrize("command", ["evaluate", "configurationDone", "setBreakpoints", "tensorpeek/tensors"])
def test_nothing_is_done_before_the_token(listening: Listening, command: str) -> None:
    with listening.visit() as stranger:
        stranger.initialize()
        assert stranger.client.ask(command, {"expression": "1"})["message"] == REFUSAL


def test_a_stranger_who_leaves_does_not_end_the_program(session: DebugSession) -> None:
    """With a debugpy that waits behind the adapter."""
    source = "import debugpy, time; print(debugpy.listen(('127.0.0.1', 0))[1], flush=True); time.sleep(60)"
    program = session.spawn(sys.executable, "-c", source, stdout=subprocess.PIPE)
    assert program.stdout is not None
    port = program.stdout.readline().decode().strip()
    listening = Listening(session, "--connect", f"127.0.0.1:{port}")
    with listening.visit() as stranger:
        stranger.initialize()
        stranger.disconnect(terminate=True)
    wait_until(lambda: listening.process.poll() == 0, what="end of the adapter")
    assert program.poll() is None
    with DebugSession("debugpy", address=("127.0.0.1", int(port)), mark=session.mark) as owner:
        owner.attach()
        owner.disconnect()


def test_the_word_no_token_opens_the_port(session: DebugSession) -> None:
    listening = Listening(session, "--no-token", token="")
    with listening.visit() as visitor:
        visitor.launch(code="print(6 * 7)")
        visitor.client.next_event("terminated")
        assert visitor.output("stdout").strip() == "42"


def test_a_port_without_a_token_is_not_opened(session: DebugSession) -> None:
    listening = Listening(session, token="")
    _, errors = listening.process.communicate(timeout=20)
    assert listening.process.returncode == 2
    assert b"--no-token" in errors


def test_an_adapter_that_nobody_visits_ends(session: DebugSession) -> None:
    code = (
        "from tensorpeek.adapter import command_line\n"
        "command_line.CLIENT_PATIENCE = 0.1\n"
        "raise SystemExit(command_line.main(['--port', '0']))"
    )
    environment = {**session.environment, "TENSORPEEK_ACCESS_TOKEN": TOKEN, "PYTHONPATH": str(BACKEND)}
    adapter = session.spawn(sys.executable, "-c", code, env=environment, stdout=subprocess.DEVNULL)
    assert adapter.wait(20) == 0


def test_a_child_gets_our_attributes_without_the_token(listening: Listening) -> None:
    with listening.visit() as parent:
        parent.launch(
            code="import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1)'])",
            tensorpeek={"accessToken": TOKEN, "valueBudgetMs": 7},
        )
        child = parent.next_child()
        assert child.configuration["tensorpeek"] == {"valueBudgetMs": 7}
        child.client.next_event("terminated")
