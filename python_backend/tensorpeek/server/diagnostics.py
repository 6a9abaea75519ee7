"""The one that publishes diagnostics: what an editor is told of a file replaces what it was told before,
so what several features have to say of one is put together here.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

Publish = Callable[[types.PublishDiagnosticsParams], None]


class Diagnostics:
    """Those of every file, by the feature that says them."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._said: dict[str, dict[str, list[types.Diagnostic]]] = {}

    def of(self, feature: str) -> Publish:
        """What a feature publishes with, as if it were alone."""

        def publish(params: types.PublishDiagnosticsParams) -> None:
            of_file = self._said.setdefault(params.uri, {})
            of_file[feature] = list(params.diagnostics)
            every = [each for said in of_file.values() for each in said]
            if not every:
                del self._said[params.uri]
            self._publish(types.PublishDiagnosticsParams(uri=params.uri, diagnostics=every))

        return publish
