"""How our answers become JSON: as pygls does it, but for what there are thousands of."""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter


def converter() -> Converter:
    """pygls asks for one per server."""
    made = default_converter()

    def hint(of: types.InlayHint) -> dict[str, Any]:
        """The fields that our hints have; all that the protocol knows take three times as long."""
        position = {"line": of.position.line, "character": of.position.character}
        fields: dict[str, Any] = {"position": position, "label": of.label}
        fields |= {"paddingLeft": of.padding_left, "data": of.data}
        if of.tooltip is not None:
            fields["tooltip"] = made.unstructure(of.tooltip)
        return fields

    made.register_unstructure_hook(types.InlayHint, hint)
    return made
