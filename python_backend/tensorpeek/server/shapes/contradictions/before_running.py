"""Sizes that contradict the traced pass: said before anything runs, and only where it is sure.

Sure means: apart from the lines that are compared, nothing is edited that can have changed what went into
them.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from tensorpeek.contract.messages import TracedFile
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.contradictions.changed_layers import contradictions
from tensorpeek.server.shapes.contradictions.changed_reshapes import impossible_reshapes
from tensorpeek.server.shapes.contradictions.changes import Changes
from tensorpeek.server.shapes.contradictions.contradiction import PASS, Contradiction
from tensorpeek.server.shapes.places import whole_range
from tensorpeek.server.shapes.store import Shown
from tensorpeek.server.source import Source

MOST_EDITS = 20
"""With more of them nothing is sure."""
IsAsTraced = Callable[[TracedFile], bool]


def before_running(
    shown: Shown, alignment: Alignment, source: Source, uri: str, is_as_traced: IsAsTraced
) -> list[types.Diagnostic]:
    if not 0 < len(alignment.edited) <= MOST_EDITS or len(alignment.removed) > MOST_EDITS:
        return []
    changes = Changes(shown, alignment)
    found = [*contradictions(changes), *impossible_reshapes(changes)]
    if not found or not all(is_as_traced(file) for file in shown.trace["files"] if file is not shown.file):
        return []
    return [_diagnostic(shown, source, uri, each) for each in found]


def _diagnostic(shown: Shown, source: Source, uri: str, of: Contradiction) -> types.Diagnostic:
    trace = shown.trace
    when = trace["time"][:16].replace("T", " ")
    return types.Diagnostic(
        range=whole_range(source, of.span),
        severity=types.DiagnosticSeverity.Warning if of.depends else types.DiagnosticSeverity.Error,
        source="TensorPeek",
        code="shape-before-running",
        message=of.message.replace(PASS, f"{PASS} {trace['entry']} of {when}"),
        related_information=[
            types.DiagnosticRelatedInformation(types.Location(uri, whole_range(source, span)), message)
            for span, message in of.related
        ],
    )
