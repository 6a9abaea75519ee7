"""Hints, hovers, lenses and diagnostics of a traced file, while it is edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from shape_traces import LINEAR, NET, TEXT, net, trace, write

from tensorpeek.server.diagnostics import Diagnostics
from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.feature import Shapes
from tensorpeek.server.shapes.settings import Settings, settings
from tensorpeek.server.shapes.statements import statements
from tensorpeek.server.source import Source

ALL = types.Range(types.Position(0, 0), types.Position(10_000, 0))


class Editor:
    """One file in an editor."""

    def __init__(self, folder: Path, text: str = TEXT) -> None:
        self.path = folder / "nét.py"
        self.uri = self.path.as_uri()
        self.folder = folder
        self.shown: list[types.Diagnostic] = []
        self.documents = Documents()
        self.documents.open(self.uri, text)
        self.shapes = Shapes(self.documents, self._publish)

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.shown = list(params.diagnostics)

    def read(self) -> None:
        self.shapes.read([self.folder])

    def edit(self, text: str) -> None:
        self.documents.open(self.uri, text)
        self.shapes.changed(self.uri)

    def hints(self) -> dict[int, str]:
        """By 1-based line, in the order of the line."""
        found: dict[int, str] = {}
        for hint in self.shapes.inlay_hints(self.uri, ALL):
            line = hint.position.line + 1
            found[line] = f"{found[line]}, {hint.label}" if line in found else str(hint.label)
        return found


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    editor = Editor(tmp_path)
    write(tmp_path, net(editor.path))
    editor.read()
    return editor


def test_each_line_has_its_shape(editor: Editor) -> None:
    assert editor.hints() == {
        11: "→ [B, 64]",
        15: "→ [B, 64]",
        17: "→ [B, 64] | [B, 32] ×2",
        18: "→ [B, 10]",
    }


def test_a_hint_goes_with_its_line_and_those_below_are_doubtful(editor: Editor) -> None:
    editor.edit(TEXT.replace("y = y.relu()", "y = y.tanh()"))
    assert editor.hints() == {11: "→ [B, 64]", 17: "→ [B, 64] | [B, 32] ×2?", 18: "→ [B, 10]?"}
    editor.edit(TEXT)
    assert editor.hints()[18] == "→ [B, 10]"


def test_comments_and_lines_elsewhere_change_nothing(editor: Editor) -> None:
    editor.edit("# first\n\n" + TEXT.replace("        for", "\n        # why\n        for"))
    assert editor.hints() == {
        13: "→ [B, 64]",
        17: "→ [B, 64]",
        21: "→ [B, 64] | [B, 32] ×2",
        22: "→ [B, 10]",
    }


def test_a_layer_that_is_another_makes_its_class_doubtful(editor: Editor) -> None:
    editor.edit(TEXT.replace("nn.Linear(64, 10)", "nn.Linear(64, 20)"))
    assert all(hint.endswith("?") for hint in editor.hints().values())


def test_while_the_text_is_no_python_the_last_good_hints_stay(editor: Editor) -> None:
    before = editor.hints()
    editor.edit(TEXT + "x = (")
    assert editor.hints() == before


def test_the_settings_say_how_much(editor: Editor) -> None:
    editor.shapes.settings = Settings("off")
    assert editor.hints() == {}
    assert settings({"shapes": {"inlayHints": "all"}}) == Settings("all")
    assert settings({"inlayHints": "calls"}) == Settings("calls")
    assert settings({"inlayHints": 3}) == settings(None) == Settings()


def test_sub_expressions_by_setting(tmp_path: Path) -> None:
    text = "def forward(x, w):\n    y = f(x @ w.T) + g(x)\n"
    editor = Editor(tmp_path, text)
    shapes = {"f(x @ w.T) + g(x)": ["B 5"], "f(x @ w.T)": ["B 1"], "x @ w.T": ["B 2"], "g(x)": ["B 3"]}
    write(tmp_path, trace(editor.path, text, shapes))
    editor.read()
    assert editor.hints() == {2: "→ [B, 5]"}
    editor.shapes.settings = Settings("calls")
    assert editor.hints() == {2: "→ [B, 1], → [B, 3], → [B, 5]"}
    editor.shapes.settings = Settings("all")
    assert editor.hints() == {2: "→ [B, 1], → [B, 2], → [B, 3], → [B, 5]"}


def test_the_tooltip_has_sizes_and_costs(editor: Editor) -> None:
    *_, last = editor.shapes.inlay_hints(editor.uri, ALL)
    tooltip = editor.shapes.resolved(last).tooltip
    assert isinstance(tooltip, types.MarkupContent)
    assert "| 1 | `[B, 10]` | 8, 10 | float32 | cpu | 320 B |" in tooltip.value
    assert "650 parameters" in tooltip.value
    assert "`B` = 8" in tooltip.value


@pytest.mark.parametrize("data", [None, {}, {"uri": "file:///x"}, {"uri": 3, "span": "a"}, {"span": [1, 2]}])
def test_a_hint_of_nothing_is_given_back(editor: Editor, data: Any) -> None:
    hint = types.InlayHint(types.Position(0, 0), "x", data=data)
    assert editor.shapes.resolved(hint).tooltip is None


def test_a_hover_shows_operands_and_result(tmp_path: Path) -> None:
    text = "def forward(a, b):\n    é = a @ b.T\n"
    editor = Editor(tmp_path, text)
    write(tmp_path, trace(editor.path, text, {"a": ["B 3"], "b.T": ["3 4"], "a @ b.T": ["B 4"]}))
    editor.read()
    found = editor.shapes.hover(editor.uri, types.Position(1, 10))
    assert found is not None
    assert found.range == types.Range(types.Position(1, 8), types.Position(1, 15))
    assert isinstance(found.contents, types.MarkupContent)
    shown = [found.contents.value.index(f"`{text}`") for text in ("→ [B, 3]", "→ [3, 4]", "→ [B, 4]")]
    assert shown == sorted(shown)
    assert editor.shapes.hover(editor.uri, types.Position(0, 0)) is None


def test_the_lens_of_a_class_counts_what_has_two_names_once(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    line = TEXT.splitlines().index("class Net(nn.Module):") + 1
    block = {**LINEAR, "type": "Net", "file": str(editor.path), "line": line, "parameters": 33_216}
    modules = [
        {**block, "path": "blocks.0", "flops": 2_000_000, "calls": 2},
        {**block, "path": "blocks.1", "flops": 1_000_000},
        {**block, "path": "again", "flops": 2_000_000, "calls": 2, "sameAs": "blocks.0"},
    ]
    written = net(editor.path, modules=modules)
    forward = {"name": "Net.forward", "line": 0, "endLine": 0, "calls": 3, "flops": 0, "peakBytes": 320_000}
    written["files"][0]["functions"] = [forward]
    write(tmp_path, written)
    editor.read()
    titles = [lens.command.title for lens in editor.shapes.lenses(editor.uri) if lens.command]
    assert titles[0] == "33.2k parameters · 3M FLOPs · peak 320 KB · 3 calls"


def test_lenses_stand_on_forward_traced_or_not(editor: Editor) -> None:
    titles = [lens.command.title for lens in editor.shapes.lenses(editor.uri) if lens.command]
    assert "Trace Shapes" in titles
    assert "1 call" in titles
    editor.documents.open("file:///other.py", TEXT)
    [lens] = editor.shapes.lenses("file:///other.py")
    assert lens.command is not None
    assert lens.command.arguments == ["file:///other.py", "Net"]


def test_a_branch_that_was_not_taken_is_dimmed_until_it_is_edited(editor: Editor) -> None:
    [dimmed] = editor.shown
    assert dimmed.tags == [types.DiagnosticTag.Unnecessary]
    assert dimmed.range.start.line == 12
    editor.edit(TEXT.replace("y.mean(0)", "y.mean(1)"))
    assert not editor.shown


def test_a_remark_stands_on_its_line_until_that_is_edited(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    related = {"path": str(editor.path), "line": 11, "message": "made here"}
    span = {"line": 15, "column": 12, "endLine": 15, "endColumn": 24}
    remark = {"rule": "outer-broadcast", "severity": "warning", "title": "T", "message": "M", **span}
    remark |= {"path": str(editor.path), "lineText": "", "evidence": [], "next": ["do"], "related": [related]}
    write(tmp_path, net(editor.path, remarks=[remark]))
    editor.read()
    found = [each for each in editor.shown if each.code == "outer-broadcast"]
    assert [each.range.start.line for each in found] == [14]
    editor.edit(TEXT.replace("y = y.relu()", "y = y.tanh()"))
    assert not [each for each in editor.shown if each.code == "outer-broadcast"]


def test_a_size_that_can_not_be_is_said_before_running(editor: Editor) -> None:
    def said(text: str) -> list[types.Diagnostic]:
        editor.edit(text)
        return [each for each in editor.shown if each.code == "shape-before-running"]

    assert not said(TEXT)
    assert not said(TEXT.replace("Linear(64, 10)", "Linear(64, 20)"))
    assert not said(TEXT.replace("Linear(64, 10)", "Linear(32, 10)").replace("flatten(1)", "flatten(2)"))


def test_one_binding_of_the_input_makes_it_sure(tmp_path: Path) -> None:
    text = TEXT.replace("self.fc(z)", "self.fc(x.flatten(1))")
    editor = Editor(tmp_path, text)
    written = trace(editor.path, text, {**NET, "self.fc(x.flatten(1))": ["B 10"]})
    module = {**LINEAR, "callPath": str(editor.path)}
    write(tmp_path, {**written, "modules": [module]})
    editor.read()
    editor.edit(text.replace("Linear(64, 10)", "Linear(32, 10)"))
    [said] = [each for each in editor.shown if each.code == "shape-before-running"]
    assert "takes 32" in said.message
    assert "was given [B, 64] on line 18 in the traced pass" in said.message


def test_two_roots_and_the_newest_trace_of_a_file(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    write(tmp_path / "a", net(editor.path))
    newer = trace(editor.path, TEXT, {"self.fc(z)": ["N 10"]}, time="2026-12-01T02:00:00+00:00")
    write(tmp_path / "b", newer)
    editor.shapes.read([tmp_path / "a", tmp_path / "b"])
    assert editor.hints() == {18: "→ [N, 10]"}


def test_names_of_dimensions_stay_when_a_run_has_seen_the_same_text(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    write(tmp_path, net(editor.path), "20261201-010000-net")
    run = {"source": "step", "time": "2026-12-01T02:00:00+00:00", "symbols": []}
    write(tmp_path, trace(editor.path, TEXT, {"self.fc(z)": ["8 10"]}, **run), "20261201-020000-net")
    editor.read()
    assert editor.hints()[18] == "→ [B, 10]"
    # Another size in another run, a text that is another, or more than was seen: what is newest counts.
    edited = TEXT.replace("y.relu()", "y.tanh()")
    others = [(TEXT, {"self.fc(z)": ["8 12"]}), (edited, {"self.fc(z)": ["8 10"]}), (TEXT, {"scale": ["1"]})]
    for text, shapes in others:
        write(tmp_path, trace(editor.path, text, shapes, **run), "20261201-020000-net")
        editor.edit(text)
        editor.read()
        assert editor.shapes.inlay_hints(editor.uri, ALL)
        assert "B" not in "".join(editor.hints().values())


@pytest.mark.parametrize("uri", ["vscode-notebook-cell:/a/b.ipynb#X", "untitled:Untitled-1", "file:///no.py"])
def test_what_was_not_traced_shows_nothing(editor: Editor, uri: str) -> None:
    editor.documents.open(uri, "%matplotlib inline\nx = 1\n")
    assert editor.shapes.inlay_hints(uri, ALL) == []
    assert editor.shapes.hover(uri, types.Position(0, 3)) is None
    assert editor.shapes.lenses(uri) == []


def test_two_features_share_the_diagnostics_of_a_file() -> None:
    shown: list[int] = []
    owner = Diagnostics(lambda params: shown.append(len(params.diagnostics)))
    one = types.Diagnostic(ALL, "x")
    owner.of("a")(types.PublishDiagnosticsParams("file:///a", [one]))
    owner.of("b")(types.PublishDiagnosticsParams("file:///a", [one]))
    owner.of("a")(types.PublishDiagnosticsParams("file:///a", []))
    assert shown == [1, 2, 1]


def test_what_two_features_say_of_a_line_is_said_once() -> None:
    shown: list[list[str]] = []
    owner = Diagnostics(lambda params: shown.append([each.message for each in params.diagnostics]))
    run, traced = owner.of("findings"), owner.of("shapes")
    one, other = (types.Diagnostic(ALL, text, code="mixing-reshape") for text in ("ran", "traced"))
    below = types.Diagnostic(types.Range(types.Position(3, 0), types.Position(3, 1)), "below", code=one.code)
    traced(types.PublishDiagnosticsParams("file:///a", [other, below]))
    run(types.PublishDiagnosticsParams("file:///a", [one]))
    run(types.PublishDiagnosticsParams("file:///a", []))
    assert shown == [["traced", "below"], ["ran", "below"], ["traced", "below"]]


@given(st.lists(st.sampled_from(["a = f(x)", "b = g(a)", "if a:\n    c = 1", "d = (1,\n  2)"]), max_size=8))
def test_a_text_is_aligned_with_itself_after_it_moved(parts: list[str]) -> None:
    text = "\n".join(parts)
    body = "\n".join("    " + line for line in text.split("\n"))
    before = statements(Source(f"def f():\n{body}\n    pass\n"))
    after = statements(Source(f"# moved\n\ndef f():\n{body}\n    pass\n"))
    assert before is not None
    assert after is not None
    alignment = Alignment(before, after)
    assert len(alignment.placed) == len(before)
    assert not any(each.stale for each in alignment.placed)
    assert all(each.present.start[0] == each.traced.start[0] + 2 for each in alignment.placed)
