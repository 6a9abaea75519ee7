"""Every way to attach. The program is never ended by the debugger."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness import ADAPTER, BACKEND, DEBUGGEES, DebugSession, RequestFailed, wait_until


def listening(session: DebugSession, *arguments: str) -> subprocess.Popen[bytes]:
    return session.spawn(sys.executable, str(DEBUGGEES / "listening.py"), *arguments, stdout=subprocess.PIPE)


def first_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def finish(process: subprocess.Popen[bytes]) -> int:
    output, _ = process.communicate(timeout=30)
    assert output.decode().splitlines()[-1] == "attached"
    return process.returncode


def test_connect(session: DebugSession) -> None:
    process = listening(session, "listen")
    session.attach(
        connect={"host": "127.0.0.1", "port": int(first_line(process))},
        source="listening.py",
        stops=["attached"],
    )
    session.wait_for_stop()
    assert session.locals()["value"]["value"] == "[1, 2, 3]"
    assert session.client.events("tensorpeek/mode")[0]["mode"] == "active"
    session.disconnect()
    assert finish(process) == 0


def test_connect_by_option(session: DebugSession) -> None:
    process = listening(session, "listen")
    address = f"127.0.0.1:{first_line(process)}"
    with DebugSession(adapter_arguments=["--connect", address], mark=session.mark) as other:
        other.attach(source="listening.py", stops=["attached"])
        other.wait_for_stop()
        assert other.locals()["value"]["value"] == "[1, 2, 3]"
        other.disconnect()
    assert finish(process) == 0


def test_connect_to_nobody(session: DebugSession) -> None:
    with pytest.raises(RequestFailed, match=r"Cannot connect to 127\.0\.0\.1:1"):
        session.attach(connect={"host": "127.0.0.1", "port": 1})


@pytest.mark.parametrize("attributes", [{}, {"connect": {"port": "no number"}}, {"connect": {}}], ids=repr)
def test_attach_to_nothing(session: DebugSession, attributes: dict[str, object]) -> None:
    with pytest.raises(RequestFailed, match="Say to what to attach"):
        session.attach(**attributes)


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"], ids=repr)
def test_connect_to_something_else(session: DebugSession, reply: bytes) -> None:
    def serve() -> None:
        connection, _ = listener.accept()
        connection.recv(100)
        connection.sendall(reply)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        session.initialize()
        port = listener.getsockname()[1]
        refused = session.client.ask("attach", {"connect": {"host": "127.0.0.1", "port": port}}, timeout=60)
    assert not refused["success"]
    assert f"Cannot connect to 127.0.0.1:{port}" in refused["message"]


def test_connect_to_something_that_says_nothing(session: DebugSession) -> None:
    """As above, through an adapter that waits less long for the first answer."""
    code = (
        "from tensorpeek.adapter import command_line, peer_choice\n"
        "peer_choice.FIRST_ANSWER_PATIENCE = 0.1\n"
        "raise SystemExit(command_line.main(['--port', '0', '--no-token']))"
    )
    environment = {**session.environment, "PYTHONPATH": str(BACKEND)}
    impatient = session.spawn(sys.executable, "-c", code, env=environment, stdout=subprocess.PIPE)
    host, _, port = first_line(impatient).removeprefix("listening on ").partition(":")
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        DebugSession(address=(host, int(port)), mark=session.mark) as other,
    ):
        other.initialize()
        silent_port = silent.getsockname()[1]
        attributes = {"connect": {"host": "127.0.0.1", "port": silent_port}}
        refused = other.client.ask("attach", attributes, timeout=60)
    assert not refused["success"]
    assert f"Cannot connect to 127.0.0.1:{silent_port}" in refused["message"]
    assert "does not answer as debugpy does" in refused["message"]


def test_listen(session: DebugSession) -> None:
    session.initialize()
    attach = session.client.send(
        "attach", {"request": "attach", "listen": {"host": "127.0.0.1", "port": 0}, "justMyCode": True}
    )
    port = session.client.next_event("debugpyWaitingForServer")["port"]
    process = listening(session, "connect", str(port))
    session.client.next_event("initialized")
    program = DEBUGGEES / "listening.py"
    session.request("setBreakpoints", source={"path": str(program)}, breakpoints=[{"line": 16}])
    session.request("configurationDone")
    session.client.body_of(session.client.wait(attach))
    session.wait_for_stop()
    assert session.locals()["value"]["value"] == "[1, 2, 3]"
    session.disconnect()
    assert finish(process) == 0


@pytest.mark.skipif(shutil.which("gdb") is None, reason="debugpy attaches to a running process by gdb")
def test_process_id(session: DebugSession) -> None:
    process = session.spawn(sys.executable, str(DEBUGGEES / "endless.py"), stdout=subprocess.PIPE)
    assert first_line(process) == "begun"
    session.attach(processId=process.pid, source="endless.py", stops=["turn"])
    session.wait_for_stop(60)
    assert "turns" in session.locals()
    assert session.client.events("tensorpeek/mode")[0]["mode"] == "active"
    session.disconnect()
    assert process.poll() is None
    process.kill()


@pytest.mark.parametrize("end", ["disconnect", "leave"])
def test_the_program_runs_on(session: DebugSession, end: str) -> None:
    process = listening(session, "listen")
    session.attach(
        connect={"host": "127.0.0.1", "port": int(first_line(process))},
        source="listening.py",
        stops=["attached"],
    )
    session.wait_for_stop()
    if end == "disconnect":
        session.disconnect()
    else:
        session.client.close()
    assert finish(process) == 0


@pytest.mark.parametrize("end", ["disconnect", "leave", "kill"])
def test_the_next_debugger_gets_texts_without_marks(session: DebugSession, end: str) -> None:
    """And when we come back it is as before."""
    process = session.spawn(sys.executable, str(DEBUGGEES / "visited.py"), stdout=subprocess.PIPE)
    address = ("127.0.0.1", int(first_line(process)))

    def visit(adapter: str, end: str) -> str:
        with DebugSession(
            adapter, mark=session.mark, address=None if adapter == "tensorpeek" else address
        ) as visitor:
            visitor.attach(
                connect={"host": address[0], "port": address[1]}, source="visited.py", stops=["turn"]
            )
            visitor.wait_for_stop()
            names = visitor.locals()
            text, turn = names["values"]["value"], int(names["turns"]["value"])
            if end == "disconnect":
                visitor.disconnect()
            elif end == "leave":
                visitor.client.close()
            else:
                visitor.process.kill()
            visitor.client.wait_until_ended()
        # When the program goes on, debugpy has seen that the visitor has left, and admits the next one.
        assert process.stdout is not None
        assert any(int(line) > turn for line in process.stdout)
        return text

    ours = visit("tensorpeek", end)
    assert visit("debugpy", "disconnect") == ours
    assert visit("tensorpeek", "disconnect") == ours
    process.kill()


def test_through_a_port(session: DebugSession, tmp_path: Path) -> None:
    """As an editor does for the attribute `debugServer`."""
    adapter = session.spawn(sys.executable, str(ADAPTER), "--port", "0", "--no-token", stdout=subprocess.PIPE)
    host, _, port = first_line(adapter).removeprefix("listening on ").partition(":")
    process = listening(session, "listen")
    debugpy_port = int(first_line(process))
    with DebugSession(address=(host, int(port)), mark=session.mark) as other:
        other.attach(
            connect={"host": "127.0.0.1", "port": debugpy_port}, source="listening.py", stops=["attached"]
        )
        other.wait_for_stop()
        assert other.locals()["value"]["value"] == "[1, 2, 3]"
        other.disconnect()
    wait_until(lambda: adapter.poll() == 0, what="end of the adapter")
    assert finish(process) == 0


def test_a_program_with_a_tensorpeek_of_its_own_is_debugged_plainly(
    session: DebugSession, tmp_path: Path
) -> None:
    (tmp_path / "tensorpeek.py").write_text("")
    program = tmp_path / "own.py"
    program.write_text("import tensorpeek\n" + (DEBUGGEES / "listening.py").read_text())
    process = session.spawn(sys.executable, str(program), "listen", stdout=subprocess.PIPE)
    port = int(first_line(process))
    session.attach(connect={"host": "127.0.0.1", "port": port}, source=program, stops=["attached"])
    session.wait_for_stop()
    assert session.locals()["value"]["value"] == "[1, 2, 3]"
    (mode,) = session.client.events("tensorpeek/mode")
    assert mode["mode"] == "plain"
    assert "another tensorpeek" in mode["reason"]
    refused = session.client.ask("tensorpeek/tensors", {"frameId": 1})
    assert refused["message"] == "TensorPeek is not active in this session."
