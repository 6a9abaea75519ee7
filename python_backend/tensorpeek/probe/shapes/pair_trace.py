"""Two traces of one call with different batch sizes: what differs between them follows the batch."""

from __future__ import annotations

from tensorpeek.contract.messages import ShapeTrace, ShapeValue


def name_batch(trace: ShapeTrace, second: ShapeTrace, batch: int, name: str = "B") -> None:
    """Puts `name` into the dims of `trace`; `second` is of a batch that is smaller by one."""
    files = {file["path"]: file for file in second["files"]}
    for file in trace["files"]:
        other = files.get(file["path"])
        if other is None:
            continue
        for kind in ("expressions", "names"):
            twins = {
                (row["line"], row["column"], row["endLine"], row["endColumn"]): row for row in other[kind]
            }
            for row in file[kind]:
                twin = twins.get((row["line"], row["column"], row["endLine"], row["endColumn"]))
                if twin is not None and len(twin["values"]) == len(row["values"]):
                    for value, small in zip(row["values"], twin["values"]):
                        _name(value, small, batch, name)
    rows = {row["path"]: row for row in second["modules"]}
    for row in trace["modules"]:
        small = rows.get(row["path"])
        if small is not None and len(small["outputs"]) == len(row["outputs"]):
            for value, other in zip(row["outputs"], small["outputs"]):
                _name(value, other, batch, name)
    trace["symbols"] = [{"name": name, "size": batch, "origin": "two passes with different batches"}]


def _name(value: ShapeValue, small: ShapeValue, batch: int, name: str) -> None:
    if len(value["sizes"]) == len(small["sizes"]):
        value["dims"] = [
            _dim(size, size - other, batch, name) for size, other in zip(value["sizes"], small["sizes"])
        ]
    for item, other in zip(value["items"], small["items"]):
        if item["key"] == other["key"]:
            _name(item["value"], other["value"], batch, name)


def _dim(size: int, per_sample: int, batch: int, name: str) -> str:
    """`B`, `2*B`, `B + 1`; a size that only by chance differs, as a sum of lengths, stays a number."""
    rest = size - per_sample * batch
    if per_sample == 1 and rest:
        return f"{name} {'+' if rest > 0 else '-'} {abs(rest)}"
    if per_sample <= 0 or rest:
        return str(size)
    return name if per_sample == 1 else f"{per_sample}*{name}"
