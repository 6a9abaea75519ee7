"""A batch with NaN or Inf, or with values far outside of what is usual."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from tensorpeek.catalogue import conditions
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.training.device_values import is_at_hand, numbers_of
from tensorpeek.probe.training.figures import count, figure
from tensorpeek.probe.training.moments import Batch, Loss
from tensorpeek.probe.training.parameters import is_matrix, is_plain
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.series import Spike
from tensorpeek.probe.training.tensors_in import tensors_of_call

FEWEST_ROWS = 16
"""That tell how far a feature spreads."""
LEAST_SPREAD = 100.0
"""A feature below that is not large, whatever the others are."""
FEWEST_NUMBERS = 64
EMPTY_BATCHES = 3
"""In a row that are one and the same number throughout."""
CONFIRMED = 2
"""Batches that must agree that a feature is out of scale."""
EMBEDDINGS = ("Embedding", "EmbeddingBag")
NORMALIZATIONS = ("BatchNorm", "LayerNorm", "InstanceNorm", "GroupNorm", "RMSNorm")


class BadInput(Condition):
    info = conditions.BAD_INPUT
    samples = frozenset({"on_batch"})

    def __init__(self, settings: Mapping[str, float]) -> None:
        super().__init__(settings)
        self._sizes: dict[str, Spike] = {}
        """The largest values of the last batches, by the model's identity and the argument."""
        self._same: tuple[float, int] = (0.0, 0)
        """The only number of the last batch, and in how many batches in a row it was."""
        self._unscaled: dict[str, int] = {}
        """Batches in which a feature was out of scale, by argument."""
        self._judged: set[str] = set()
        self._is_pending = False
        """The last batch was not finite, and its loss has not come yet."""
        self._tolerates = False
        """The model makes a finite loss of a batch that is not finite: it knows what it does."""

    def on_loss(self, loss: Loss) -> None:
        if self._is_pending and loss.value is not None:
            self._is_pending = False
            self._tolerates = math.isfinite(loss.value)

    def on_batch(self, batch: Batch) -> Report | None:
        for way, tensor in tensors_of_call(batch.args, batch.kwargs):
            tensor = tensor.detach()
            if not is_plain(tensor):
                continue
            torch = sys.modules["torch"]
            ends = numbers_of(torch.stack(torch.aminmax(tensor)), f"batch {way}")
            if ends is None:
                continue
            low, high = ends
            if not is_at_hand(tensor):
                report = self._late(way, low, high)
            elif not (math.isfinite(low) and math.isfinite(high)):
                report = self._not_finite(batch, way, tensor)
            else:
                report = (
                    self._empty(batch, way, tensor, low, high)
                    or self._far_outside(batch, way, tensor, max(-low, high))
                    or self._out_of_scale(batch, way, tensor)
                )
            if report is not None:
                return report
        return None

    def _empty(self, batch: Batch, way: str, tensor: Any, low: float, high: float) -> Report | None:
        """All that a DataLoader has delivered for the model is one number."""
        is_whole = batch.rows is not None and tensor.dim() > 1 and len(batch.rows) == tensor.shape[0]
        if (
            not is_whole
            or low != high
            or tensor.numel() < FEWEST_NUMBERS
            or len(batch.args) > 1
            or batch.kwargs
        ):
            self._same = (0.0, 0)
            return None
        before, batches = self._same
        self._same = (low, batches + 1 if before == low else 1)
        if self._same[1] != EMPTY_BATCHES:
            return None  # not yet, or told already
        name = _users_name(batch, tensor, way)
        return Report(
            "Batch without content",
            f"Batch without content: each of the {tensor.numel():,} numbers of `{name}` is {figure(low)}, as "
            f"in the {EMPTY_BATCHES - 1} batches before. The model sees nothing of its data.",
            value=low,
            next=[
                "Look at one sample of the data set. A whole-number division (// 255), a cast to integers "
                "after scaling, or a file that is not read makes all of it one number.",
            ],
            values={name: tensor},
        )

    def _not_finite(self, batch: Batch, way: str, tensor: Any) -> Report | None:
        torch = sys.modules["torch"]
        bad = ~torch.isfinite(tensor)
        if self._tolerates or _is_mask(tensor, bad):
            return None
        self._is_pending = True
        number = int(bad.sum())
        where = [int(place) for place in bad.nonzero()[0]]
        value = tensor[tuple(where)].item()
        name = _users_name(batch, tensor, way)
        row = _row(batch, tensor, where)
        rows = int(bad.reshape(bad.shape[0], -1).any(1).sum()) if bad.dim() else 1
        feature = f", feature {where[1]}" if len(where) == 2 else ""
        whose = f" (row {row} of the data set{feature})" if row is not None else ""
        word = "NaN" if math.isnan(value) else "Inf"
        return Report(
            f"{word} in the batch",
            f"{word} in the batch: `{name}`{where} is {figure(value)}{whose}; "
            f"{number:,} of {count(tensor.numel(), 'element')} in {count(rows, 'row')} are not finite. "
            "The model has not run yet and is not guilty.",
            value=value,
            next=[
                "Look at that row where the data are read: missing values, divisions, logarithms of zero.",
                "Drop or fill such rows before training (torch.nan_to_num, pandas' dropna).",
            ],
            values={name: tensor, f"{name}[{where[0]}]": tensor[where[0]]} if where else {name: tensor},
            # What comes from a DataLoader was so before; anything else may have been computed just now.
            seeks_producer=row is None,
            is_of_batch=True,
        )

    def _late(self, way: str, low: float, high: float) -> Report | None:
        """Of the batch before, which a device has computed with."""
        if (math.isfinite(low) and math.isfinite(high)) or self._tolerates or high == 0:
            return None
        self._is_pending = True
        word = "NaN" if math.isnan(low) or math.isnan(high) else "Inf"
        return Report(
            f"{word} in the batch",
            f"{word} in the batch: `{way}` of the batch before was not finite; that was read from the device "
            "one step late.",
            next=["Look at the rows of that batch where the data are read."],
            is_of_batch=True,
        )

    def _far_outside(self, batch: Batch, way: str, tensor: Any, size: float) -> Report | None:
        spike = self._sizes.setdefault(f"{id(batch.module)} {way}", Spike(8, 50, 10))
        found = spike.add(size)
        factor = self.settings["factor"]
        if found is None or size < factor * found.usual:
            return None
        where = _unravelled(int(tensor.abs().argmax()), tensor.shape)
        name = _users_name(batch, tensor, way)
        row = _row(batch, tensor, where)
        whose = f" (row {row} of the data set)" if row is not None else ""
        return Report(
            "Batch out of range",
            f"Batch out of range: `{name}`{where} is {figure(tensor[tuple(where)].item())}{whose}. The "
            f"largest value of the last {len(spike.values) - 1} batches was about {figure(found.usual)}; "
            f"{figure(size / found.usual)} times as much is out of range (factor={factor:g}).",
            value=size,
            threshold=factor * found.usual,
            history=[*spike.values],
            next=["Look at that row: another unit, a wrong scale (0 … 255 for 0 … 1), or a corrupt file."],
            values={name: tensor},
        )

    def _out_of_scale(self, batch: Batch, way: str, tensor: Any) -> Report | None:
        """One feature of a table that drowns all others, at the beginning of the run."""
        if way in self._judged:
            return None
        if not _is_table(tensor, batch.module):
            self._judged.add(way)
            return None
        table = tensor.reshape(-1, tensor.shape[-1])
        if table.shape[0] < FEWEST_ROWS:
            return None
        sizes = (sys.modules["torch"].linalg.vector_norm(table, dim=0) / table.shape[0] ** 0.5).tolist()
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        others = sorted(size for index, size in enumerate(sizes) if index != largest and size > 0)
        usual = others[len(others) // 2] if others else 0.0
        ratio = sizes[largest] / usual if usual > 0 else 0.0
        if sizes[largest] < LEAST_SPREAD or ratio < self.settings["spread"]:
            self._judged.add(way)
            return None
        self._unscaled[way] = self._unscaled.get(way, 0) + 1
        if self._unscaled[way] < CONFIRMED:
            return None
        self._judged.add(way)
        name = _users_name(batch, tensor, way)
        spread = table[:, largest].std().item()
        return Report(
            "Feature out of scale",
            f"Feature out of scale: feature {largest} of `{name}` has values of about "
            f"{figure(sizes[largest])} (spread {figure(spread)}), the others of about {figure(usual)}: "
            f"{figure(ratio)} times as much (spread={self.settings['spread']:g}). It drowns the others, and "
            "saturates what comes after it.",
            value=ratio,
            threshold=self.settings["spread"],
            evidence=[f"feature {index}: about {figure(size)}" for index, size in enumerate(sizes[:20])],
            next=["Scale each feature by its mean and spread over the training set: (x − mean) / std."],
            values={name: tensor},
        )


def _is_mask(tensor: Any, bad: Any) -> bool:
    """Whether all that is not finite is −Inf beside zeros, as in a mask that is added to attention scores."""
    return bool((tensor[bad] == -math.inf).all()) and not bool(tensor[~bad].any())


def _is_table(tensor: Any, module: Any) -> bool:
    """Whether the last dimension is one of features that go into the model's first weight as they are."""
    if tensor.dim() not in (2, 3) or tensor.shape[-1] < 2 or tensor.is_floating_point() is False:
        return False
    kinds = [type(part).__name__ for part in module.modules()]
    if any(kind in EMBEDDINGS for kind in kinds):
        return False  # some columns may be numbers of rows in a table
    for part in module.modules():
        if type(part).__name__.startswith(NORMALIZATIONS):
            return False
        weight = next((each for each in part._parameters.values() if each is not None), None)
        if weight is not None:
            return is_matrix(weight) and weight.dim() == 2 and weight.shape[1] == tensor.shape[-1]
    return False


def _users_name(batch: Batch, tensor: Any, way: str) -> str:
    """What the calling function calls the tensor, else its place among the arguments."""
    names = batch.frame.f_locals if batch.frame is not None else {}
    pointer = tensor.data_ptr()
    torch = sys.modules["torch"]
    for name, value in list(names.items()):
        if type(value) is torch.Tensor and value.shape == tensor.shape and value.data_ptr() == pointer:
            return name
    return way


def _row(batch: Batch, tensor: Any, where: list[int]) -> int | None:
    rows = batch.rows
    if rows is None or not where or len(rows) != tensor.shape[0]:
        return None
    return rows[where[0]]


def _unravelled(index: int, shape: Any) -> list[int]:
    where: list[int] = []
    for size in reversed(shape):
        where.append(index % size)
        index //= size
    return where[::-1]
