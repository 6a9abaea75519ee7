"""What DataLoaders gave and how long the program waited for it, by the line that iterates over them."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from tensorpeek.contract.messages import ProfiledLoader
from tensorpeek.probe.training.places import Place, is_users_code, place_of, user_frame

MOST = 50
AROUND = "dataset"
"""Where data sets that wrap another one, as torch's Subset does, keep it."""


@dataclass
class Loader:
    place: Place
    made: Place | None
    dataset: str
    getitem: Place | None
    workers: int
    is_persistent: bool
    batch_size: int
    batches: int = 0
    wait: float = 0.0
    longest: float = 0.0
    passes: int = 0
    first_wait: float = 0.0
    pass_seconds: float = 0.0


@dataclass
class _Pass:
    """One iteration over a loader."""

    loader: Loader
    begun: float
    last: float = 0.0
    """Seconds from its beginning to the end of its last wait."""
    has_begun: bool = False


class Loaders:
    def __init__(self) -> None:
        self._made: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()
        self._passes: weakref.WeakKeyDictionary[Any, _Pass] = weakref.WeakKeyDictionary()
        self._loaders: dict[tuple[str, int, int], Loader] = {}

    def made(self, loader: Any) -> None:
        place = place_of(user_frame())
        if place is not None:
            self._made.setdefault(loader, place)

    def pass_begun(self, loader: Any, iterator: Any, begun: float) -> None:
        place = place_of(user_frame())
        if place is None:
            return
        key = (place.path, place.line, loader.num_workers)
        known = self._loaders.get(key)
        if known is None:
            if len(self._loaders) >= MOST:
                return
            known = self._loaders[key] = self._described(loader, place)
        known.passes += 1
        self._passes[iterator] = _Pass(known, begun)

    def waited(self, iterator: Any, seconds: float, gave: bool) -> None:
        """For the next batch, or for the end of the iteration."""
        of = self._passes.get(iterator)
        if of is None:
            return
        loader, since = of.loader, perf_counter() - of.begun
        loader.wait += seconds
        loader.pass_seconds += since - of.last
        of.last = since
        if gave:
            loader.batches += 1
            loader.longest = max(loader.longest, seconds)
        if not of.has_begun:
            of.has_begun = True
            loader.first_wait += since

    def record(self) -> list[ProfiledLoader]:
        ordered = sorted(self._loaders.values(), key=lambda loader: -loader.wait)
        return [_row(loader) for loader in ordered]

    def _described(self, loader: Any, place: Place) -> Loader:
        dataset = loader.dataset
        while _is_torchs(dataset) and hasattr(dataset, AROUND):
            dataset = getattr(dataset, AROUND)
        kind = type(dataset)
        code = None
        for name in ("__getitems__", "__getitem__", "__iter__"):
            code = getattr(getattr(kind, name, None), "__code__", None)
            if code is not None and is_users_code(code):
                break
            code = None
        return Loader(
            place=place,
            made=self._made.get(loader),
            dataset=kind.__name__,
            getitem=Place(code.co_filename, code.co_firstlineno, code.co_name) if code is not None else None,
            workers=loader.num_workers,
            is_persistent=bool(getattr(loader, "persistent_workers", False)),
            batch_size=loader.batch_size or 0,
        )


def _is_torchs(dataset: Any) -> bool:
    return type(dataset).__module__.startswith("torch.") and "torch" in sys.modules


def _row(loader: Loader) -> ProfiledLoader:
    made, getitem = loader.made or Place("", 0), loader.getitem or Place("", 0)
    return {
        "path": loader.place.path,
        "line": loader.place.line,
        "madePath": made.path,
        "madeLine": made.line,
        "dataset": loader.dataset,
        "datasetPath": getitem.path,
        "datasetLine": getitem.line,
        "workers": loader.workers,
        "persistent": loader.is_persistent,
        "batchSize": loader.batch_size,
        "batches": loader.batches,
        "wait": round(loader.wait, 6),
        "longest": round(loader.longest, 6),
        "passes": loader.passes,
        "firstWait": round(loader.first_wait, 6),
        "passSeconds": round(loader.pass_seconds, 6),
    }
