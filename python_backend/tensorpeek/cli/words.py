"""Where our words on a command line end and those of the program begin, which may look like ours."""

from __future__ import annotations

from collections.abc import Sequence


def split_words(words: list[str], with_value: Sequence[str]) -> tuple[list[str], bool, list[str]]:
    """Our words, whether a module follows, and the script or module with its own words.

    `with_value` are our options that have a value behind them.
    """
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--" or not word.startswith("-") or (word.startswith("-m") and not word.startswith("--")):
            break
        position += 2 if word in with_value else 1
    rest = words[position:]
    is_module = bool(rest) and rest[0].startswith("-m")
    if is_module:
        rest = [rest[0][2:], *rest[1:]] if len(rest[0]) > 2 else rest[1:]
    elif rest[:1] == ["--"]:
        rest = rest[1:]
    return words[:position], is_module, rest
