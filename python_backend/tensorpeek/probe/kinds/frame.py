"""pandas: shape, dtypes, memory and missing values, read from the blocks, without building anything."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text
from tensorpeek.probe import raw
from tensorpeek.probe.kinds.health import HealthScan, Patient, with_alarm
from tensorpeek.probe.kinds.index_groups import index_groups
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes, group, values_label
from tensorpeek.probe.presentation import Text, present
from tensorpeek.probe.shorthand import dtype_shorthand, shorthand
from tensorpeek.probe.statistics import scan_array
from tensorpeek.probe.tensors.facts import TensorFacts
from tensorpeek.probe.tensors.line import tensor_line

FRAMES = ("pandas.DataFrame", "pandas.core.frame.DataFrame")
SERIES = ("pandas.Series", "pandas.core.series.Series")
INDEXES = ("pandas.Index", "pandas.core.indexes.base.Index")
HEAD = 20
"""Rows shown under `head`."""


class FrameKind:
    """`NaN 12 60000×30 f64 25, i64 3, str 2 14.4 MB`."""

    presentation_kind: PresentationKind = "frame"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, *FRAMES)

    def scan(self, value: Any) -> HealthScan | None:
        patients = [
            Patient("", values.size, partial(scan_array, values))
            for values in blocks(value)
            if is_array(values) and values.dtype.kind in "fc"
        ]
        return HealthScan(patients) if patients else None

    def present(self, value: Any, scan: HealthScan | None) -> Presentation:
        rows, columns = value.shape
        dtypes: Counter[str] = Counter()
        size = 0
        for values in blocks(value):
            dtypes[dtype_name(values.dtype)] += values.shape[0] if is_array(values) else 1
            size += values.nbytes
        counted = ", ".join(name if len(dtypes) == 1 else f"{name} {n}" for name, n in dtypes.most_common(4))
        alarm, text = with_alarm(f"{rows}×{columns} {counted} {bytes_text(size)}", scan)
        return present(text, self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child]:
        rows, columns = value.shape
        shown = [
            group("columns", partial(index_groups, columns, partial(column_rows, value)), label=f"{columns}"),
            group("head", partial(head_rows, value), label=f"{min(rows, HEAD)} of {rows} rows"),
            Child("index", value.index, ".index"),
            Child("shape", value.shape, ".shape"),
        ]
        return [*shown, all_attributes(value)]


class SeriesKind:
    """A column: the line of its values, its name behind."""

    presentation_kind: PresentationKind = "array"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, *SERIES)

    def scan(self, value: Any) -> Any:
        values = array_of(value)
        if values is None or values.dtype.kind not in "biufc" or not values.size:
            return None
        return scan_array(values)

    def present(self, value: Any, scan: Any) -> Presentation:
        alarm, text = column_line(value._values, scan)
        name = f" {value.name!r}" if isinstance(value.name, (str, int)) else ""
        return present(text + name, self.presentation_kind, alarm=alarm)

    def children(self, value: Any) -> list[Child]:
        count = len(value._values)
        make_rows = partial(index_groups, count, partial(value_rows, value))
        shown = [
            group("values", make_rows, label=values_label((count,), dtype_name(value.dtype))),
            Child("index", value.index, ".index"),
            Child("dtype", Text(str(value.dtype)), ".dtype"),
            Child("name", value.name, ".name"),
        ]
        return [*shown, all_attributes(value)]


class IndexKind:
    """`RangeIndex[60000] i64`."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, *INDEXES)

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        few = [cell_text(value[position]) for position in range(min(3, len(value)))]
        more = ", …" if len(value) > 3 else ""
        text = (
            f"{raw.class_name(type(value))}[{len(value)}] {dtype_name(value.dtype)} [{', '.join(few)}{more}]"
        )
        return present(text, self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        def rows(start: int, stop: int) -> list[Child]:
            return [Child(f"[{at}]", value[at], f"[{at}]") for at in range(start, stop)]

        return [*index_groups(len(value), rows), all_attributes(value)]


def blocks(frame: Any) -> list[Any]:
    """The arrays that a frame is made of; columns of one dtype lie together in one, transposed."""
    return [block.values for block in frame._mgr.blocks]


def is_array(values: Any) -> bool:
    return raw.is_a(type(values), "numpy.ndarray")


def array_of(series: Any) -> Any:
    """The numpy array behind a series, None behind extension types."""
    return series._values if is_array(series._values) else None


def dtype_name(dtype: Any) -> str:
    return dtype_shorthand(dtype) if raw.is_a(type(dtype), "numpy.dtype") else str(dtype)


def column_line(values: Any, scan: Any) -> tuple[str, str]:
    facts = TensorFacts("Series", tuple(values.shape), dtype_name(values.dtype))
    facts.size = len(values)
    facts.parts = 2 if values.dtype.kind == "c" else 1
    return tensor_line(facts, scan.statistics if scan is not None else None)


def column_rows(frame: Any, start: int, stop: int) -> list[Child]:
    """Columns by position; those that share a name are told apart by it."""
    names = list(frame.columns)
    times = Counter(map(repr, names))
    rows: list[Child] = []
    for position in range(start, stop):
        name = repr(names[position])
        if times[name] == 1 and type(names[position]) in (str, int):
            rows.append(Child(name, frame.iloc[:, position], f"[{name}]"))
        else:
            twin = f" at {position}" if times[name] > 1 else ""
            rows.append(Child(name + twin, frame.iloc[:, position], f".iloc[:, {position}]"))
    return rows


def head_rows(frame: Any) -> list[Child]:
    """The first rows as lines of text, built from at most HEAD × 8 cells."""
    rows, columns = frame.shape
    shown = [frame.iloc[:HEAD, position] for position in range(min(columns, 8))]
    lines = []
    for at in range(min(rows, HEAD)):
        cells = [cell_text(column.iloc[at]) for column in shown]
        lines.append(
            Child(f"[{at}]", Text("  ".join(cells) + ("  …" if columns > 8 else "")), f".iloc[{at}]")
        )
    return lines


def cell_text(cell: Any) -> str:
    if raw.is_a(type(cell), "numpy.floating"):
        return f"{float(cell):.4g}"
    if raw.is_a(type(cell), "numpy.generic") or raw.module_name(type(cell)).partition(".")[0] == "pandas":
        return str(cell)
    return shorthand(cell)


def value_rows(series: Any, start: int, stop: int) -> list[Child]:
    return [Child(f"[{at}]", series.iloc[at], f".iloc[{at}]") for at in range(start, stop)]
