"""How large the batches of a training were: a last one that is smaller breaks what counts on their size."""

from __future__ import annotations

import sys
from collections import deque
from typing import Any, NamedTuple

from tensorpeek.probe import raw
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.training import source
from tensorpeek.probe.training.figures import count
from tensorpeek.probe.training.moments import Batch
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.user_values import locals_of

KEPT = 8
"""Runs of steps with batches of one size."""


class Loader(NamedTuple):
    name: str
    batch_size: int
    drop_last: bool
    rows: int
    """Of its data set; 0 where that is not known without running the user's code."""
    place: Place | None

    @property
    def last(self) -> int:
        """Rows of the batch that is left at the end; 0 where all are of one size, or none is known."""
        return 0 if self.drop_last or not self.rows else self.rows % self.batch_size


class Sizes:
    """The first dimension of the first tensor that the model got, step after step."""

    def __init__(self) -> None:
        self._runs: deque[tuple[int, int, int]] = deque(maxlen=KEPT)
        """Size, first and last step."""

    def saw(self, batch: Batch) -> None:
        args = batch.args
        if not args or not raw.is_a(type(args[0]), "torch.Tensor") or not args[0].dim():
            return
        size, step = int(args[0].shape[0]), batch.training.clock.step
        if self._runs and self._runs[-1][0] == size:
            self._runs[-1] = (size, self._runs[-1][1], step)
        else:
            self._runs.append((size, step, step))

    def before(self, present: int) -> tuple[int, int, int] | None:
        """Size, first and last step of the last batches of another size than this one."""
        return next((run for run in reversed(self._runs) if run[0] != present), None)


def loader_of(found: Failing) -> Loader | None:
    """The DataLoader that the failing code takes its batches from, if there is exactly one."""
    loaders: dict[int, tuple[str, Any, Any]] = {}
    for frame, _ in found.frames:
        for name, value in list(locals_of(frame).items()):
            if raw.is_a(type(value), "torch.utils.data.dataloader.DataLoader"):
                loaders.setdefault(id(value), (name, value, frame))
    looped = [each for each in loaders.values() if _is_looped_over(found, each[0])]
    chosen = looped or list(loaders.values())
    if len(chosen) != 1:
        return None
    name, loader, frame = chosen[0]
    own = raw.attributes(loader)
    size = own.get("batch_size")
    if type(size) is not int or size < 1:
        return None
    rows = _rows(own.get("dataset"))
    return Loader(name, size, bool(own.get("drop_last")), rows, source.last_assignment(frame, name))


def _is_looped_over(found: Failing, name: str) -> bool:
    """Whether a loop around one of the frames' lines goes over it."""
    for frame, place in found.frames:
        for node in source.own_nodes(source.body_of(frame.f_code)):
            iterated = getattr(node, "iter", None)
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
            if iterated is not None and first <= place.line <= last and name in source.text(iterated):
                return True
    return False


def _rows(dataset: Any) -> int:
    """Of torch's own kinds of data set; to ask a user's runs their code."""
    data: Any = sys.modules["torch"].utils.data
    if type(dataset) is data.TensorDataset:
        return int(dataset.tensors[0].shape[0])
    if type(dataset) is data.Subset and type(dataset.indices) in (list, range, tuple):
        return len(dataset.indices)
    return len(dataset) if type(dataset) in (list, tuple) else 0


def smaller_batch(found: Failing, sizes: Sizes, present: int) -> tuple[str, str] | None:
    """A sentence about a last batch of this size, and what to do; None where no batch is that small."""
    loader = loader_of(found)
    if loader is not None and loader.last == present and loader.rows > loader.batch_size:
        return (
            f"This is the last batch: {loader.rows} % {loader.batch_size} = {present} rows are left of "
            f"`{loader.name}`.",
            f"drop_last=True for `{loader.name}`",
        )
    usual = sizes.before(present)
    if usual is not None and usual[0] > present:
        when = f"step {usual[1]}" if usual[1] == usual[2] else f"steps {usual[1]}–{usual[2]}"
        name = f"`{loader.name}`" if loader is not None else "the DataLoader"
        return (
            f"This batch has {count(present, 'row')}, those before had {usual[0]} ({when}).",
            f"drop_last=True for {name}",
        )
    return None
