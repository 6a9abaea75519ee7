"""The program can't tell that `tensorpeek run` runs it, nor can who started it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from cli.command import PROGRAM, python, tensorpeek


def without_ours(text: str) -> str:
    """What is left of stderr without our summary, the last thing there."""
    return text.partition("tensorpeek: nothing found")[0]


@pytest.mark.parametrize("fault", ["none", "exit", "message", "error", "hook", "interrupt"])
def test_output_and_exit_code_are_those_of_python(fault: str, tmp_path: Path) -> None:
    ours = tensorpeek("run", str(PROGRAM), fault, "--lr", "0.1", "-m", "x", cwd=tmp_path)
    plain = python(str(PROGRAM), fault, "--lr", "0.1", "-m", "x", cwd=tmp_path)
    assert ours.stdout == plain.stdout
    assert ours.returncode == plain.returncode
    assert without_ours(ours.stderr) == plain.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_typed_reaches_the_program(tmp_path: Path) -> None:
    ended = tensorpeek("run", str(PROGRAM), "input", cwd=tmp_path, text="hello\n")
    assert "read: hello" in ended.stdout


def test_a_module_runs_as_with_m(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(PROGRAM, package / "__main__.py")
    shutil.copy(PROGRAM, package / "part.py")
    for name in ("package", "package.part"):
        ours = tensorpeek("run", "-m", name, "none", "--break", "x", cwd=tmp_path)
        plain = python("-m", name, "none", "--break", "x", cwd=tmp_path)
        assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)


def test_a_folder_and_a_zip_file_run(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(PROGRAM, folder / "__main__.py")
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.write(PROGRAM, "__main__.py")
    for name in ("folder", "program.zip"):
        ours, plain = tensorpeek("run", name, cwd=tmp_path), python(name, cwd=tmp_path)
        assert ours.returncode == 0
        assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)


def test_a_link_to_a_script_has_the_folder_of_the_script_first(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(PROGRAM)
    assert tensorpeek("run", "link.py", cwd=tmp_path).stdout == python("link.py", cwd=tmp_path).stdout


def test_classes_of_the_program_can_be_pickled_and_its_workers_find_them(tmp_path: Path) -> None:
    (tmp_path / "spawns.py").write_text(
        "import multiprocessing\n"
        "class Thing:\n    pass\n"
        "def same(thing):\n    return type(thing).__name__\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(same, [Thing()]))\n"
    )
    ended = tensorpeek("run", "spawns.py", cwd=tmp_path)
    assert ended.stdout == "['Thing']\n"
    assert ended.stderr.count("tensorpeek:") == 1


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("x = (\n")
    ours, plain = tensorpeek("run", "wrong.py", cwd=tmp_path), python("wrong.py", cwd=tmp_path)
    assert ours.returncode == plain.returncode == 1
    assert without_ours(ours.stderr) == plain.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing.py"], 2, "can't open file"),
        (["-m", "missing_module"], 1, "No module named missing_module"),
        (["-m", "json.decoder.missing"], 1, "No module named json.decoder.missing"),
        ([], 2, "a script or -m MODULE is missing"),
        (["--break", "sparkle", "x.py"], 2, "no condition is named 'sparkle'"),
        (["--break", "spike facto=4", "x.py"], 2, "did you mean factor"),
        (["--on-break", "dance", "x.py"], 2, "invalid choice"),
        (["--budget", "200", "x.py"], 2, "not a share"),
    ],
)
def test_what_cannot_be_run_is_said(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    ended = tensorpeek("run", *words, cwd=tmp_path)
    assert ended.returncode == code
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_help_names_every_condition(tmp_path: Path) -> None:
    from tensorpeek.catalogue.conditions import CONDITIONS

    ended = tensorpeek("run", "--help", cwd=tmp_path)
    assert ended.returncode == 0
    assert all(info.id in ended.stdout for info in CONDITIONS)
    assert tensorpeek(cwd=tmp_path).returncode == 2
    assert tensorpeek("--help", cwd=tmp_path).returncode == 0
