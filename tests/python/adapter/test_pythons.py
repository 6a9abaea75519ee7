"""Other Pythons: for the adapter and for the program. They have no torch and no debugpy of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import DebugSession, RequestFailed
from harness.pythons import find_python


def python(version: str) -> str:
    found = find_python(version)
    if found is None:
        pytest.skip(f"no Python {version} here")
    return found


def bundled_libs() -> dict[str, str]:
    import debugpy

    return {"TENSORPEEK_BUNDLED_LIBS": str(Path(debugpy.__file__).parents[1])}


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_the_program_and_the_adapter_on(version: str) -> None:
    with DebugSession(python=python(version), environment=bundled_libs()) as session:
        session.launch("loop.py", stops=["return"], python=python(version))
        session.wait_for_stop()
        assert session.locals()["result"]["value"] == "6"
        assert session.client.events("tensorpeek/mode")[0]["mode"] == "active"
        assert session.run_to_end() == 0


def test_a_program_on_an_old_python_is_debugged_plainly(session: DebugSession) -> None:
    session.launch("loop.py", stops=["return"], python=python("3.8"))
    session.wait_for_stop()
    assert session.locals()["result"]["value"] == "6"
    (mode,) = session.client.events("tensorpeek/mode")
    assert mode["mode"] == "plain"
    assert "Python 3.8" in mode["reason"]
    seconds, _ = session.client.timed("threads")
    assert seconds < 0.03, "even so debugpy answers without delay"
    assert session.run_to_end() == 0


def test_the_adapter_on_an_old_python_says_so() -> None:
    with DebugSession(python=python("3.8")) as session:
        session.initialize()
        with pytest.raises(RequestFailed, match=r"needs Python 3\.9 or newer, but was started with 3\.8"):
            session.launch("loop.py")


def test_without_any_debugpy_the_launch_says_so(tmp_path: Path) -> None:
    environment = {"TENSORPEEK_BUNDLED_LIBS": str(tmp_path)}
    with DebugSession(python=python("3.12"), environment=environment) as session:
        with pytest.raises(RequestFailed, match=r"debugpy 1\.8 or newer was not found"):
            session.launch("loop.py")
        assert session.client.ask("disconnect")["success"]
