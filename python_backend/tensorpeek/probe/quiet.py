"""Silences warnings without Python noticing."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

_EVERYTHING: list[Any] = [("ignore", None, Warning, None, 0)]

_lock = threading.Lock()
_users = 0
_filters: list[Any] = []


@contextmanager
def ignored_warnings() -> Generator[None]:
    """Ignores every warning meanwhile, in all threads.

    `warnings.catch_warnings` would also make Python forget which warnings it has shown, so that the user's
    own, meant to be shown once, would come again after every look at a value.
    """
    global _users, _filters
    with _lock:
        if not _users:
            _filters = warnings.filters  # pyright: ignore[reportAssignmentType]
            warnings.filters = list(_EVERYTHING)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                warnings.filters = _filters
