"""What a trace showed to be wrong, as diagnostics until its line is edited."""

from __future__ import annotations

from lsprotocol import types

from tensorpeek.contract.messages import ShapeRemark
from tensorpeek.server.paths import uri_of
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.places import whole_range
from tensorpeek.server.shapes.store import Shown
from tensorpeek.server.source import Source

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}


def remarks(shown: Shown, alignment: Alignment, source: Source) -> list[types.Diagnostic]:
    found: list[types.Diagnostic] = []
    for remark in shown.trace["remarks"]:
        if remark["path"] != shown.file["path"]:
            continue
        start, end = (remark["line"], remark["column"]), (remark["endLine"], remark["endColumn"])
        moved = alignment.moved(start, end)
        if moved is None or moved[1].stale:
            continue
        found.append(
            types.Diagnostic(
                range=whole_range(source, moved[0]),
                severity=_SEVERITIES.get(remark["severity"], types.DiagnosticSeverity.Warning),
                source="TensorPeek",
                code=remark["rule"],
                message=_message(remark),
                related_information=[
                    types.DiagnosticRelatedInformation(
                        types.Location(uri_of(each["path"]), _line(each["line"])),
                        each["message"],
                    )
                    for each in remark["related"]
                ],
            )
        )
    return found


def _message(remark: ShapeRemark) -> str:
    first = f"{remark['title']}: {remark['message']}"
    return "\n".join([first, *remark["evidence"], *(f"• {advice}" for advice in remark["next"])])


def _line(line: int) -> types.Range:
    return types.Range(types.Position(max(line - 1, 0), 0), types.Position(max(line, 1), 0))
