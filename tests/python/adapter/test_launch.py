"""Every way to launch, through our adapter."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import DEBUGGEES, DebugSession, RequestFailed


def surroundings(session: DebugSession) -> dict[str, Any]:
    assert session.run_to_end() == 0
    return json.loads(session.output("stdout"))


def test_a_program_with_arguments_folder_and_environment(session: DebugSession, tmp_path: Path) -> None:
    folder = tmp_path / "a folder ñandú"
    folder.mkdir()
    session.launch(
        "surroundings.py",
        args=["--lr", "0.1", "two words"],
        cwd=str(folder),
        env={"GIVEN_A": "1", "GIVEN_Ñ": "ñ"},
    )
    seen = surroundings(session)
    assert seen["arguments"] == ["--lr", "0.1", "two words"]
    assert seen["folder"] == str(folder)
    assert seen["environment"] == {"GIVEN_A": "1", "GIVEN_Ñ": "ñ"}


def test_nothing_is_added_to_the_programs_environment(session: DebugSession) -> None:
    session.launch("surroundings.py")
    seen = surroundings(session)
    assert seen["pythonpath"] == session.environment.get("PYTHONPATH", "")
    assert not [folder for folder in seen["path"] if "python_backend" in folder]


def test_an_env_file_goes_under_env(session: DebugSession, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("GIVEN_A=file\nexport GIVEN_B='file'\nGIVEN_C=${GIVEN_B}+${GIVEN_D}\n")
    session.launch("surroundings.py", envFile=str(file), env={"GIVEN_A": "env", "GIVEN_D": "env"})
    assert surroundings(session)["environment"] == {
        "GIVEN_A": "env",
        "GIVEN_B": "file",
        "GIVEN_C": "file+env",
        "GIVEN_D": "env",
    }


def test_a_missing_env_file_is_no_error(session: DebugSession, tmp_path: Path) -> None:
    session.launch("surroundings.py", envFile=str(tmp_path / ".env"))
    assert surroundings(session)["environment"] == {}


def test_a_module(session: DebugSession) -> None:
    session.launch(module="surroundings", cwd=str(DEBUGGEES), args=["x"])
    assert surroundings(session)["arguments"] == ["x"]


def test_code(session: DebugSession) -> None:
    session.launch(code="print('from code')")
    assert session.run_to_end() == 0
    assert session.output("stdout") == "from code\n"


def test_python_as_a_string_with_arguments(session: DebugSession) -> None:
    session.launch(code="import sys; print(sys.flags.optimize)", python=sys.executable, pythonArgs=["-O"])
    assert session.run_to_end() == 0
    assert session.output("stdout") == "1\n"


@pytest.mark.parametrize("console", ["integratedTerminal", "externalTerminal"])
def test_in_a_terminal(session: DebugSession, console: str) -> None:
    session.launch("loop.py", stops=["return"], console=console, redirectOutput=False)
    session.wait_for_stop()
    assert session.locals()["result"]["value"] == "6"
    assert session.run_to_end() == 0
    assert session.client.reverse_requests() == ["runInTerminal"]


def test_stop_on_entry(session: DebugSession) -> None:
    session.launch("loop.py", stopOnEntry=True)
    assert session.wait_for_stop().event["reason"] == "entry"
    assert session.run_to_end() == 0


def test_return_values_are_shown(session: DebugSession) -> None:
    session.launch("loop.py", stops=["end"], showReturnValue=True)
    session.wait_for_stop()
    assert session.locals()["answer"]["value"] == "6"


def test_without_debugging_the_mode_is_plain(session: DebugSession) -> None:
    session.launch("loop.py", noDebug=True)
    session.client.next_event("terminated")
    assert session.client.events("exited") == [{"exitCode": 0}]
    assert [event["mode"] for event in session.client.events("tensorpeek/mode")] == ["plain"]


def test_path_mappings_and_just_my_code_are_passed_on(session: DebugSession, tmp_path: Path) -> None:
    seen_by_client = tmp_path / "loop.py"
    seen_by_client.write_text((DEBUGGEES / "loop.py").read_text())
    session.launch(
        "loop.py",
        breakpoints={str(seen_by_client): [{"line": 16}]},
        pathMappings=[{"localRoot": str(tmp_path), "remoteRoot": str(DEBUGGEES)}],
        justMyCode=False,
    )
    stop = session.wait_for_stop()
    assert stop.frames[0]["source"]["path"] == str(seen_by_client)


def test_paths_with_blanks_and_accents(session: DebugSession, tmp_path: Path) -> None:
    program = tmp_path / "mi código ñandú" / "año 1.py"
    program.parent.mkdir()
    program.write_text((DEBUGGEES / "loop.py").read_text())
    session.launch(program, stops=["return"])
    assert session.wait_for_stop().frames[0]["source"]["path"] == str(program)
    assert session.run_to_end() == 0


def test_a_program_may_have_a_tensorpeek_of_its_own(session: DebugSession, tmp_path: Path) -> None:
    own = tmp_path / "tensorpeek"
    own.mkdir()
    (own / "__init__.py").write_text("value = 5\n")
    (own / "probe.py").write_text("deeper = 6\n")
    program = tmp_path / "program.py"
    program.write_text(
        "from tensorpeek import value\nfrom tensorpeek.probe import deeper\nimport sys\n"
        "mine = sorted(name for name in sys.modules if name.split('.')[0] == 'tensorpeek')[:2]\n"
        "pass  # @bp:here\n"
    )
    session.launch(program, stops=["here"])
    stop = session.wait_for_stop()
    assert session.evaluate("value + deeper")["result"] == "11"
    assert session.evaluate("mine")["result"] == "['tensorpeek', 'tensorpeek.probe']"
    assert session.client.events("tensorpeek/mode")[-1]["mode"] == "active"
    assert session.request("tensorpeek/tensors", frameId=stop.frame)["rows"] == []


def test_our_attributes_are_kept_from_debugpy(session: DebugSession) -> None:
    import debugpy

    session.launch(
        "tensors.py",
        stops=["here"],
        tensorpeek={"valueBudgetMs": 5, "answerBudgetMs": 10},
        debugpyPath=str(Path(debugpy.__file__).parents[1]),
    )
    session.wait_for_stop()
    assert session.locals()["number"]["value"] == "7"


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"program": "/no/such ñ.py"}, ["does not exist", "/no/such ñ.py"]),
        ({"cwd": "/no/folder"}, ["folder does not exist", "/no/folder"]),
        ({"python": "/no/python"}, ["no Python interpreter", "/no/python"]),
        ({"python": ["/usr/bin/ls"]}, ["not a working Python interpreter", "/usr/bin/ls"]),
        ({"debugpyPath": "/no/debugpy"}, ["debugpy 1.8", "/no/debugpy"]),
        ({"module": "x"}, ["mutually exclusive"]),
        ({"console": "moon"}, ["console"]),
        ({"args": 5}, ["args"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_can_not_be_launched_is_said(
    session: DebugSession, attributes: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(RequestFailed) as failed:
        session.launch(**{"program": "loop.py", **attributes})
    for word in words:
        assert word in str(failed.value)


def test_problems_are_said_in_the_clients_language() -> None:
    with (
        DebugSession(capabilities={"locale": "pt-BR"}) as session,
        pytest.raises(RequestFailed, match="não existe"),
    ):
        session.launch("nothing.py")


def test_a_program_that_fails_ends_the_session(session: DebugSession) -> None:
    session.launch("endless.py", args=["--raise"])
    assert session.run_to_end() == 1
    assert "ValueError: on purpose" in session.output("stderr")


def test_two_sessions_at_once() -> None:
    with DebugSession() as one, DebugSession() as other:
        for session in (one, other):
            session.launch("loop.py", stops=["return"])
        for session in (other, one):
            session.wait_for_stop()
            assert session.locals()["result"]["value"] == "6"
        assert [session.run_to_end() for session in (one, other)] == [0, 0]
