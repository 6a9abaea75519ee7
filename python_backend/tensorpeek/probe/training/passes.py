"""What DataLoaders deliver: which rows of the data set, and in which pass over it."""

from __future__ import annotations

import threading
import weakref
from typing import Any

MOST_AHEAD = 1024
"""Batches that workers may have in preparation."""


class DataPasses:
    def __init__(self) -> None:
        self._passes: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """By the loader's sampler, which outlives its iterators."""
        self._drawn: weakref.WeakKeyDictionary[Any, dict[int, list[int]]] = weakref.WeakKeyDictionary()
        """By iterator: the rows of the batches that were asked for, by number."""
        self._trained_on: weakref.ref[Any] | None = None
        self._fetched: list[weakref.ref[Any]] = []
        """The samplers of the loaders that gave a batch since the last backward pass."""
        self._local = threading.local()

    @property
    def rows(self) -> list[int] | None:
        """Of the batch that this thread has fetched last."""
        return getattr(self._local, "rows", None)

    def indices_drawn(self, iterator: Any, indices: Any) -> None:
        """The next batch is to be made of these rows, now or by a worker."""
        if isinstance(indices, int):
            indices = [indices]
        if not isinstance(indices, list) or not indices or not isinstance(indices[0], int):
            return
        number = getattr(iterator, "_send_idx", None)
        if number is None:
            self._local.rows = indices
            return
        ahead = self._drawn.setdefault(iterator, {})
        if len(ahead) < MOST_AHEAD:
            ahead[number] = indices

    def fetched(self, iterator: Any, is_first: bool) -> None:
        """A batch has come."""
        sampler = iterator._index_sampler
        if is_first:
            self._passes[sampler] = self._passes.get(sampler, 0) + 1
        number = getattr(iterator, "_rcvd_idx", None)
        if number is not None:
            self._local.rows = self._drawn.get(iterator, {}).pop(number - 1, None)
        last = self._fetched[-1]() if self._fetched else None
        if last is not sampler:
            del self._fetched[:-3]
            self._fetched.append(weakref.ref(sampler))

    def epoch(self) -> int:
        """The pass over the data that is trained on, from 0; asked at a backward pass. -1 when unknown."""
        if not self._fetched:
            main = self._trained_on() if self._trained_on is not None else None
            return self._passes.get(main, 0) - 1 if main is not None else -1
        samplers = [sampler for reference in self._fetched if (sampler := reference()) is not None]
        main = self._trained_on() if self._trained_on is not None else None
        if samplers and main not in samplers:
            main = samplers[0]
            self._trained_on = weakref.ref(main)
        if samplers:
            self._fetched.clear()
        return self._passes.get(main, 0) - 1 if main is not None else -1
