"""The one that publishes diagnostics: what an editor is told of a file replaces what it was told before,
so what several features have to say of one is put together here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

Publish = Callable[[types.PublishDiagnosticsParams], None]


class Diagnostics:
    """Those of every file, by the feature that says them."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._said: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._features: list[str] = []
        """The first of two that say the same of a line is heard."""

    def of(self, feature: str) -> Publish:
        """What a feature publishes with, as if it were alone."""

        if feature not in self._features:
            self._features.append(feature)

        def publish(params: types.PublishDiagnosticsParams) -> None:
            of_file = self._said.setdefault(params.uri, {})
            of_file[feature] = list(params.diagnostics)
            every = _each_once(of_file.get(each, []) for each in self._features)
            if not every:
                del self._said[params.uri]
            self._publish(types.PublishDiagnosticsParams(uri=params.uri, diagnostics=every))

        return publish


def _each_once(said: Iterable[list[types.Diagnostic]]) -> list[types.Diagnostic]:
    """Without what an earlier feature says of the same line by the same code."""
    every: list[types.Diagnostic] = []
    for diagnostics in said:
        known = {(each.code, each.range.start.line) for each in every if each.code is not None}
        every += [each for each in diagnostics if (each.code, each.range.start.line) not in known]
    return every
