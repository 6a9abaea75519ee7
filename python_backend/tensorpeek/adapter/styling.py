"""Colours a presentation with ANSI codes, for clients that announce `supportsANSIStyling`."""

from __future__ import annotations

from tensorpeek.contract.messages import Presentation

RESET = "\x1b[0m"
ALARM = "\x1b[31m"
SPARK = "\x1b[32m"
FAINT = "\x1b[2m"


def styled(presentation: Presentation) -> str:
    """The text with its alarm in red, or wholly green or faint as its style says."""
    text = presentation["text"]
    if not text:
        return text
    alarm = presentation.get("alarm", "")
    if alarm and text.startswith(alarm):
        return f"{ALARM}{alarm}{RESET}{text[len(alarm) :]}"
    style = presentation.get("style", "plain")
    if style == "spark":
        return f"{SPARK}{text}{RESET}"
    if style == "faint":
        return f"{FAINT}{text}{RESET}"
    return text
