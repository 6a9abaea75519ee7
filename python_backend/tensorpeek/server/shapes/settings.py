"""What the user wants to see, as the client says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

SECTION = "tensorpeek.shapes"
Hints = Literal["off", "assignments", "calls", "all"]
CHOICES: tuple[Hints, ...] = ("off", "assignments", "calls", "all")


@dataclass(frozen=True)
class Settings:
    inlay_hints: Hints = "assignments"


def settings(said: object) -> Settings:
    """Of the section's value, or of `initializationOptions`; what is not understood is as by default."""
    for key in ("tensorpeek", "shapes"):
        said = member(said, key) or said
    hints = member(said, "inlayHints")
    return Settings(hints) if hints in CHOICES else Settings()


def member(of: object, key: str) -> Any:
    """pygls makes objects of some maps and leaves others."""
    if isinstance(of, dict):
        return cast("dict[str, Any]", of).get(key)
    return getattr(of, key, None)
