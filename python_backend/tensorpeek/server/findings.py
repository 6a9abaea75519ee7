"""What the newest run found wrong, as diagnostics on the lines that did it, until a line is edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls import uris

from tensorpeek.contract.messages import Finding
from tensorpeek.runs import findings_file
from tensorpeek.runs.folder import RUNS, newest_runs
from tensorpeek.server.documents import Documents
from tensorpeek.server.paths import uri_of
from tensorpeek.server.source import Source, utf16_length

FINDINGS_FILES = "**/.tensorpeek/runs/*/findings.jsonl"
RUN_FOLDERS = ("**/.tensorpeek", "**/.tensorpeek/runs/*")
"""Of a file that is written together with its folder an editor may tell only the folder."""
MOST_PER_FILE = 100

Publish = Callable[[types.PublishDiagnosticsParams], None]


@dataclass
class Marked:
    """Findings of one condition on one line, which moves with the text."""

    line: int
    """0-based."""
    finding: Finding
    """The latest of them."""
    count: int


class Findings:
    """The diagnostics of every file, kept in step with the run folders and with what is typed."""

    def __init__(self, documents: Documents, publish: Publish) -> None:
        self._documents = documents
        self._publish = publish
        self._marked: dict[str, list[Marked]] = {}

    def read(self, folders: Sequence[Path]) -> None:
        """Shows the findings of the newest run of each workspace folder."""
        found = [
            finding
            for folder in folders
            for run in newest_runs(folder / RUNS)
            for finding in findings_file.read(run)
            if finding["path"] and finding["line"] > 0
        ]
        before = set(self._marked)
        self._marked = grouped(found)
        for path in before | set(self._marked):
            self._show(path)

    def opened(self, uri: str) -> None:
        if _path(uri) in self._marked:
            self._show(_path(uri))

    def changed(self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Follows the lines of the findings through a change of a text; an edited line loses its findings."""
        path = _path(uri)
        marked = self._marked.get(path)
        if marked is None:
            return
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                for mark in marked:
                    mark.line = moved(mark.line, change.range, change.text)
        self._show(path)

    def _show(self, path: str) -> None:
        """Publishes the findings of a file whose lines are as they were, and forgets the others."""
        marked = self._marked.pop(path, [])
        source = self._source(path) if marked else None
        diagnostics: list[types.Diagnostic] = []
        if source is not None:
            marked = [mark for mark in marked if is_as_it_was(source, mark)]
            diagnostics = [diagnostic(source, mark) for mark in marked[-MOST_PER_FILE:]]
        if diagnostics:
            self._marked[path] = marked
        uri = uri_of(path) or path
        self._publish(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))

    def _source(self, path: str) -> Source | None:
        """The text of the editor where it is open, else that of the file; None where there is none."""
        for uri, source in self._documents.items():
            if _path(uri) == path:
                return source
        try:
            return Source(Path(path).read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return None


def grouped(findings: Sequence[Finding]) -> dict[str, list[Marked]]:
    """By file; what one condition found on one line again and again is shown once."""
    marked: dict[str, dict[tuple[int, str], Marked]] = {}
    for finding in findings:
        of_file = marked.setdefault(finding["path"], {})
        key = finding["line"], finding["condition"]
        count = of_file[key].count + 1 if key in of_file else 1
        of_file[key] = Marked(finding["line"] - 1, finding, count)
    return {path: list(of_file.values()) for path, of_file in marked.items()}


def moved(line: int, where: types.Range, text: str) -> int:
    """Where a line is after `text` was put in the place of a range."""
    added = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") - (where.end.line - where.start.line)
    is_before = where.end.line < line or (where.end.line == line and where.end.character == 0)
    return line + added if is_before else line


def is_as_it_was(source: Source, mark: Marked) -> bool:
    if mark.line >= source.line_count:
        return False
    return source.line_text(mark.line).strip() == mark.finding["lineText"].strip()


def diagnostic(source: Source, mark: Marked) -> types.Diagnostic:
    finding = mark.finding
    text = source.line_text(mark.line)
    start = len(text) - len(text.lstrip())
    return types.Diagnostic(
        range=types.Range(
            types.Position(mark.line, utf16_length(text[:start])),
            types.Position(mark.line, utf16_length(text.rstrip())),
        ),
        severity=types.DiagnosticSeverity.Warning,
        source="TensorPeek",
        code=finding["condition"],
        message=message(mark),
        related_information=[
            types.DiagnosticRelatedInformation(
                location=types.Location(uri=uri_of(related["path"]), range=_whole_line(related["line"])),
                message=related["message"],
            )
            for related in finding["related"]
        ],
    )


def message(mark: Marked) -> str:
    finding = mark.finding
    rank = f", rank {finding['rank']}" if finding["rank"] else ""
    again = f" ({mark.count} times)" if mark.count > 1 else ""
    step = f", step {finding['step']}" if finding["step"] >= 0 else ""
    first = f"{finding['title']}{step}{rank}{again}: {finding['message']}"
    return "\n".join([first, *(f"• {advice}" for advice in finding["next"])])


def _whole_line(line: int) -> types.Range:
    return types.Range(types.Position(max(line - 1, 0), 0), types.Position(max(line, 1), 0))


def _path(uri: str) -> str:
    return uris.to_fs_path(uri) or uri
