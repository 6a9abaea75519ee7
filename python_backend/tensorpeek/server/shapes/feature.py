"""What the server shows of traced shapes, kept in step with the run folders and with what is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris

from tensorpeek.contract.messages import ModelMap, TracedFile
from tensorpeek.server.documents import Documents
from tensorpeek.server.shapes.alignment import Alignment
from tensorpeek.server.shapes.contradictions.before_running import before_running
from tensorpeek.server.shapes.dimmed import dimmed
from tensorpeek.server.shapes.hover import hover
from tensorpeek.server.shapes.inlay_hints import inlay_hints, resolved
from tensorpeek.server.shapes.lenses import lenses
from tensorpeek.server.shapes.model_map import Present, model_map
from tensorpeek.server.shapes.open_text import OpenText
from tensorpeek.server.shapes.remarks import remarks
from tensorpeek.server.shapes.settings import Settings, member
from tensorpeek.server.shapes.store import Shown, Store
from tensorpeek.server.source import Source

Publish = Callable[[types.PublishDiagnosticsParams], None]
Found = tuple[Shown, Alignment, Source]


class Shapes:
    """The hints, hovers, lenses and diagnostics of every open file that was traced."""

    def __init__(self, documents: Documents, publish: Publish) -> None:
        self._documents = documents
        self._publish = publish
        self._store = Store()
        self._texts: dict[str, OpenText] = {}
        self._said: set[str] = set()
        self.settings = Settings()

    def read(self, folders: Sequence[Path]) -> None:
        self._store.read(folders)
        for uri in {uri for uri, _ in self._documents.items()} | self._said:
            self.changed(uri)

    def changed(self, uri: str) -> None:
        """Publishes what is to be said of a file, once more nothing where there was something."""
        if self._documents.get(uri) is None:
            self._texts.pop(uri, None)
        diagnostics: list[types.Diagnostic] = []
        if (found := self._found(uri)) is not None:
            sure = before_running(*found, uri, self._is_as_traced)
            diagnostics = [*remarks(*found), *sure, *dimmed(*found)]
        if diagnostics or uri in self._said:
            self._said.add(uri)
            self._publish(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))
        if not diagnostics:
            self._said.discard(uri)

    def inlay_hints(self, uri: str, wanted: types.Range) -> list[types.InlayHint]:
        found = self._found(uri)
        return inlay_hints(*found, uri, wanted, self.settings.inlay_hints) if found is not None else []

    def resolved(self, hint: types.InlayHint) -> types.InlayHint:
        uri = member(hint.data, "uri")
        return resolved(hint, self._shown(uri) if isinstance(uri, str) else None)

    def hover(self, uri: str, where: types.Position) -> types.Hover | None:
        found = self._found(uri)
        return hover(*found, where) if found is not None else None

    def lenses(self, uri: str) -> list[types.CodeLens]:
        source = self._documents.get(uri)
        if source is None:
            return []
        shown, alignment, _ = self._found(uri) or (None, None, source)
        return lenses(shown, alignment, self._text(uri).statements(source), uri)

    def model_map(self, uri: str) -> ModelMap | None:
        """Of the trace of a file, where it has one; else the newest."""
        shown = self._shown(uri)
        trace = shown.trace if shown is not None else self._store.newest
        if trace is None:
            return None
        present: dict[str, Present] = {}
        for open_uri, source in self._documents.items():
            found = self._found(open_uri)
            # Of a file that was traced again since, the lines are those of the other trace.
            alignment = found[1] if found is not None and found[0].trace is trace else None
            present[_path(open_uri)] = Present(source.text, alignment)
        return model_map(trace, present)

    def _found(self, uri: str) -> Found | None:
        source, shown = self._documents.get(uri), self._shown(uri)
        if source is None or shown is None:
            return None
        return shown, self._text(uri).alignment(shown, source), source

    def _text(self, uri: str) -> OpenText:
        return self._texts.setdefault(uri, OpenText())

    def _is_as_traced(self, file: TracedFile) -> bool:
        """Whether the text of a file is the one that was traced, in the editor or on disk."""
        texts = (source.text for uri, source in self._documents.items() if _path(uri) == file["path"])
        text = next(texts, None)
        if text is None:
            try:
                text = Path(file["path"]).read_text("utf-8")
            except (OSError, ValueError):
                return False
        return text.splitlines() == file["text"].splitlines()

    def _shown(self, uri: str) -> Shown | None:
        return self._store.get(_path(uri))


def _path(uri: str) -> str:
    """A cell of a notebook has the path of its notebook, and is none of its lines."""
    return (uris.to_fs_path(uri) if uri.startswith("file:") else None) or uri
