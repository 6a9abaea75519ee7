"""Paths that records name, as URIs for an editor."""

from __future__ import annotations

from pygls import uris


def uri_of(path: str) -> str:
    """Empty for what can't be a path, as half a character."""
    try:
        return uris.from_fs_path(path) or ""
    except ValueError:
        return ""
