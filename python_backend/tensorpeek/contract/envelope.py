"""How a presentation travels inside a pydevd value, which is one string.

The probe wraps, the adapter unwraps. The marks are noncharacters of Unicode, so no text of a user holds them.
"""

from __future__ import annotations

import json
from typing import cast

from tensorpeek.contract.messages import Presentation

ENVELOPE_START = "\ufdd0tp"
ENVELOPE_END = "\ufdd1"


def wrap(presentation: Presentation) -> str:
    """The presentation as one string, to be returned as the value of a variable."""
    return ENVELOPE_START + json.dumps(presentation) + ENVELOPE_END


def unwrap(text: str) -> Presentation | None:
    """The presentation inside, or None when `text` is an ordinary value or the envelope is damaged."""
    if not (text.startswith(ENVELOPE_START) and text.endswith(ENVELOPE_END)):
        return None
    try:
        content: object = json.loads(text[len(ENVELOPE_START) : -len(ENVELOPE_END)])
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not isinstance(cast("dict[str, object]", content).get("text"), str):
        return None
    return cast(Presentation, content)
