"""Two traces of one call with different batches, or lengths: what differs between them follows that."""

from __future__ import annotations

from tensorpeek.contract.messages import ShapeTrace, ShapeValue


def name_followers(trace: ShapeTrace, second: ShapeTrace, size: int, name: str, origin: str) -> None:
    """Puts `name` into the dims of `trace` that follow `size`, which is smaller by one in `second`."""
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
                        _name(value, small, size, name)
    rows = {row["path"]: row for row in second["modules"]}
    for row in trace["modules"]:
        small = rows.get(row["path"])
        if small is not None and len(small["outputs"]) == len(row["outputs"]):
            for value, other in zip(row["outputs"], small["outputs"]):
                _name(value, other, size, name)
    if not any(symbol["name"] == name for symbol in trace["symbols"]):
        trace["symbols"].append({"name": name, "size": size, "origin": origin})


def _name(value: ShapeValue, small: ShapeValue, whole: int, name: str) -> None:
    if len(value["sizes"]) == len(small["sizes"]):
        value["dims"] = [
            # What has a name already is a symbol in both.
            _dim(size, size - other, whole, name) if dim == str(size) else dim
            for dim, size, other in zip(value["dims"], value["sizes"], small["sizes"])
        ]
    for item, other in zip(value["items"], small["items"]):
        if item["key"] == other["key"]:
            _name(item["value"], other["value"], whole, name)


def _dim(size: int, per_one: int, whole: int, name: str) -> str:
    """`B`, `2*B`, `B + 1`; a size that only by chance differs, as a sum of lengths, stays a number."""
    rest = size - per_one * whole
    if per_one == 1 and rest:
        return f"{name} {'+' if rest > 0 else '-'} {abs(rest)}"
    if per_one <= 0 or rest:
        return str(size)
    return name if per_one == 1 else f"{per_one}*{name}"
