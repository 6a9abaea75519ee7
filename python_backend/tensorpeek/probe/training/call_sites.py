"""The keywords of a module's call, which torch hands to hooks of single modules only.

They are in the frame that calls a hook, but to read its variables costs more than all else that is done.
A place that calls without keywords does so each time, unless the call spreads a dict.
"""

from __future__ import annotations

import dis
from types import CodeType, FrameType
from typing import Any

_SPREADS = dis.opmap["CALL_FUNCTION_EX"]
_CACHE = dis.opmap.get("CACHE", -1)
_without: dict[tuple[int, int], CodeType] = {}
"""By the code's address and the instruction; the code is kept, so that its address stays its own."""


def keywords_of(calling: FrameType) -> tuple[dict[str, Any], FrameType | None]:
    """Of the call that torch's frame `calling`, which calls a hook, is in; and the frame that made it."""
    path = calling.f_code.co_filename
    caller: FrameType | None = calling.f_back
    while caller is not None and caller.f_code.co_filename == path:
        caller = caller.f_back
    if caller is None:
        return calling.f_locals.get("kwargs") or {}, None
    code = caller.f_code
    key = (id(code), caller.f_lasti)
    if key in _without:
        return {}, caller
    kwargs: dict[str, Any] = calling.f_locals.get("kwargs") or {}
    if not kwargs and not _spreads(code.co_code, caller.f_lasti):
        _without[key] = code
    return kwargs, caller


def _spreads(instructions: bytes, position: int) -> bool:
    """Whether the call has `**`; behind an instruction is what Python keeps for it."""
    while position > 0 and instructions[position] == _CACHE:
        position -= 2
    return instructions[position] == _SPREADS
