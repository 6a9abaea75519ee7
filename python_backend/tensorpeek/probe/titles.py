"""Texts that have to fit, as the title of a stop in the header of the call stack."""

from __future__ import annotations

LONGEST_TITLE = 31
"""Characters that the header shows at its usual width."""


def clipped(text: str, longest: int = LONGEST_TITLE) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
