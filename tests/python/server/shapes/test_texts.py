"""Line ends, tabs, characters outside the BMP, links, renamed and unsaved files."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from shape_traces import NET, TEXT, net, trace, write

from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.feature import Shapes

ALL = types.Range(types.Position(0, 0), types.Position(1_000, 0))
HINTS = {11: "→ [B, 64]", 15: "→ [B, 64]", 17: "→ [B, 64] | [B, 32] ×2", 18: "→ [B, 10]"}


def hints(folders: list[Path], path: Path, text: str) -> dict[int, str]:
    """By 1-based line; each stands at the end of its line."""
    documents = Documents()
    documents.open(path.as_uri(), text)
    shapes = Shapes(documents, lambda _params: None)
    shapes.read(folders)
    found = shapes.inlay_hints(path.as_uri(), ALL)
    source = documents.get(path.as_uri())
    assert source is not None
    for hint in found:
        line = source.line_text(hint.position.line)
        assert hint.position.character == len(line.encode("utf-16-le")) // 2
    return {hint.position.line + 1: str(hint.label) for hint in found}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_other_line_ends_than_those_that_were_traced(end: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    write(tmp_path, net(path))
    assert hints([tmp_path], path, TEXT.replace("\n", end)) == HINTS


def test_other_indentation_than_was_traced(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    write(tmp_path, net(path))
    assert hints([tmp_path], path, TEXT.replace("    ", "\t")) == HINTS


def test_characters_of_two_units_before_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    text = TEXT.replace("x.flatten(1)", "{'😀é': x.flatten(1)}['😀é']")
    shapes = {**NET, "{'😀é': x.flatten(1)}['😀é']": ["B 64"]}
    write(tmp_path, trace(path, text, shapes))
    assert hints([tmp_path], path, text)[11] == "→ [B, 64]"


def test_a_file_under_another_path_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "real" / "net.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    write(tmp_path, net(path))
    (tmp_path / "link").symlink_to(path.parent)
    assert hints([tmp_path], tmp_path / "link" / "net.py", TEXT) == HINTS


def test_a_file_outside_of_all_folders_has_its_shapes(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "net.py"
    write(tmp_path / "project", net(path))
    assert hints([tmp_path / "project"], path, TEXT) == HINTS


def test_a_renamed_file_was_not_traced(tmp_path: Path) -> None:
    write(tmp_path, net(tmp_path / "net.py"))
    assert hints([tmp_path], tmp_path / "other.py", TEXT) == {}


def test_each_root_shows_its_own_traces(tmp_path: Path) -> None:
    roots = [tmp_path / "a", tmp_path / "b"]
    for number, root in enumerate(roots):
        shapes = {"self.fc(z)": [f"B {number}"]}
        write(root, trace(root / "net.py", TEXT, shapes))
    for number, root in enumerate(roots):
        assert hints(roots, root / "net.py", TEXT) == {18: f"→ [B, {number}]"}
    assert hints(roots[:1], roots[1] / "net.py", TEXT) == {}
