"""Every form of Python does rewritten what it does as it is, on each Python that is found here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tensorpeek
from harness.pythons import find_python

HERE = Path(__file__).parent / "syntax"
BACKEND = Path(tensorpeek.__file__).parents[1]
FOUND = [version for version in (f"3.{minor}" for minor in range(9, 16)) if find_python(version)]


def forms(minor: int) -> list[Path]:
    newer = [HERE / f"forms_3_{number}.py" for number in range(10, minor + 1)]
    return [HERE / "forms.py", *(path for path in newer if path.exists())]


def differences(python: str, files: list[Path]) -> list[str]:
    command = [python, "-W", "ignore", str(HERE / "same.py"), str(BACKEND), *map(str, files)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("version", FOUND)
def test_results_and_tracebacks_are_the_same_on(version: str) -> None:
    assert differences(find_python(version) or "", forms(int(version[2:]))) == []


def test_a_difference_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\ndef case_looks():\n    x = 1\n    return len(sys._getframe().f_code.co_code)\n"
    )
    assert len(differences(sys.executable, [program])) == 1
