"""numpy: arrays of every dtype, and the scalars that come out of them."""

from __future__ import annotations

import sys
from functools import partial
from itertools import islice
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text
from tensorpeek.probe import raw
from tensorpeek.probe.kinds.index_groups import index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes, group, values_label
from tensorpeek.probe.kinds.stats import Stats
from tensorpeek.probe.presentation import Text, present
from tensorpeek.probe.shorthand import dtype_shorthand, shorthand
from tensorpeek.probe.statistics import Scan, scan_array
from tensorpeek.probe.statistics.accumulator import NAN, NEGATIVE_INFINITE, POSITIVE_INFINITE
from tensorpeek.probe.tensors.facts import TensorFacts
from tensorpeek.probe.tensors.line import number, tensor_line


def plain(array: Any) -> Any:
    """The same memory as an ordinary array, so that no subclass's code runs."""
    base = sys.modules["numpy"].ndarray
    return array if type(array) is base else base.view(array, base)


class ArrayKind:
    """`f64[60000,30] −3.1…2.9 μ0 σ1`; structured, object, memmap and masked arrays say so."""

    presentation_kind: PresentationKind = "array"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "numpy.ndarray")

    def scan(self, value: Any) -> Scan | None:
        array = plain(value)
        if array.dtype.kind not in "biufc" or not array.size:
            return None
        return scan_array(array)

    def present(self, value: Any, scan: Scan | None) -> Presentation:
        array = plain(value)
        facts = array_facts(value, array)
        alarm, text = tensor_line(facts, scan.statistics if scan is not None else None)
        words = [text]
        if array.dtype.names:
            words.append(fields_text(array.dtype))
        elif scan is None and array.dtype.kind in "SUTO" and array.size:
            words.append(few_values(array))
        words.append(bytes_text(array.nbytes))
        return present(" ".join(words), self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child]:
        array = plain(value)
        rows: list[Child] = []
        if array.dtype.kind in "biufc" and array.size:
            rows.append(Child("stats", Stats(partial(scan_array, array)), ""))
        if array.dtype.names:
            rows += [Child(name, array[name], f"[{name!r}]") for name in array.dtype.names]
        if array.ndim == 0:
            rows.append(Child("value", array[()], "[()]"))
        else:
            label = values_label(array.shape, dtype_shorthand(array.dtype))
            make_rows = partial(index_groups, array.shape[0], partial(array_rows, array))
            rows.append(group("values", make_rows, label=label))
        rows += [
            Child("shape", array.shape, ".shape"),
            Child("dtype", Text(str(array.dtype)), ".dtype"),
            Child("strides", array.strides, ".strides"),
        ]
        if raw.is_a(type(value), "numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"):
            rows.append(Child("mask", value._mask, ".mask"))
        return [*rows, all_attributes(value)]


def array_facts(value: Any, array: Any) -> TensorFacts:
    """The array in the words of a tensor."""
    facts = TensorFacts(raw.class_name(type(value)), tuple(array.shape), dtype_shorthand(array.dtype))
    facts.size, facts.item_bytes = array.size, array.itemsize
    facts.parts = 2 if array.dtype.kind == "c" else 1
    if facts.type_name not in ("ndarray", "MaskedArray"):
        facts.flags.append(facts.type_name)
    if raw.is_a(type(value), "numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"):
        facts.flags.append(masked_text(value._mask))
    if not array.flags.writeable:
        facts.flags.append("read-only")
    return facts


def masked_text(mask: Any) -> str:
    np = sys.modules["numpy"]
    if mask is np.ma.nomask or not getattr(mask, "ndim", 0):
        return "nothing masked"
    return f"{np.count_nonzero(mask)} masked" if mask.size <= 1_000_000 else "masked"


def fields_text(dtype: Any) -> str:
    """`(x: f32, label: i64)`."""
    fields = [f"{name}: {dtype_shorthand(dtype[name])}" for name in islice(dtype.names, 6)]
    return f"({', '.join(fields)}{', …' if len(dtype.names) > 6 else ''})"


def few_values(array: Any) -> str:
    """The first values of an array of strings; of an array of objects those whose text runs nobody's code."""
    first = [array.item(index) for index in range(min(3, array.size))]
    return f"[{', '.join(map(shorthand, first))}{', …' if array.size > 3 else ''}]"


def array_rows(array: Any, start: int, stop: int) -> list[Child]:
    """`array[i]`: views of rows, scalars of a vector."""
    return [Child(f"[{index}]", array[index], f"[{index}]") for index in range(start, stop)]


class ScalarKind:
    """`f64 3.5`: a numpy scalar, which is not a Python number."""

    presentation_kind: PresentationKind = "array"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "numpy.generic") and not raw.is_a(cls, "numpy.void")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        dtype = dtype_shorthand(value.dtype)
        text = number(value.item()) if value.dtype.kind == "f" else ""
        alarm = text if text in (NAN, POSITIVE_INFINITE, NEGATIVE_INFINITE) else ""
        return present(
            f"{alarm} {dtype}" if alarm else f"{dtype} {value!s}", self.presentation_kind, alarm=alarm
        )

    def children(self, value: Any) -> None:
        return None
