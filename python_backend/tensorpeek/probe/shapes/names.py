"""Gives the symbols of a trace the names that the user's code has for them: `b, t, d = x.shape`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tensorpeek.contract.messages import ShapeSymbol, ShapeTrace, ShapeValue
from tensorpeek.probe.shapes.call import Role

RAW = re.compile(r"\b[suzf]\d+\b")
PLAIN = re.compile(r"[A-Za-z_]\w{0,15}")
PARENTHESES = re.compile(r"\(([\w*/ ]+)\)")


def name_symbols(trace: ShapeTrace, roles: dict[str, Role]) -> dict[str, str]:
    """Replaces torch's symbols, as `s0`, in all dims, and fills `symbols`. Returns the names by torch's."""
    sizes = _raw_symbols(trace)
    # The batch of each input is a symbol of its own at first.
    groups = {raw: _group(raw, roles) for raw in sizes}
    chosen = _by_users_code(trace, groups)
    symbols: dict[str, ShapeSymbol] = {}
    by_group: dict[str, str] = {}
    for raw, group in groups.items():
        if group in by_group:
            continue
        role = roles.get(raw)
        taken = sum(symbol.startswith("N") for symbol in symbols)
        name, origin = f"N{taken + 1}", "a size that the data decide"
        if group in chosen:
            name, origin = chosen[group]
        elif role is not None:
            name, origin = role.name, role.origin
        plain, number = name, 2
        while name in symbols:
            name, number = f"{plain}{number}", number + 1
        by_group[group] = name
        size = role.size if role is not None else sizes[raw]
        symbols[name] = {"name": name, "size": size, "origin": origin}
    names = {raw: by_group[group] for raw, group in groups.items()}
    for value in _values(trace):
        value["dims"] = [readable(dim, names) for dim in value["dims"]]
    trace["symbols"] = list(symbols.values())
    return names


def _group(raw: str, roles: dict[str, Role]) -> str:
    role = roles.get(raw)
    return raw if role is None else f"{role.name} of {role.size}"


def readable(dim: str, names: dict[str, str]) -> str:
    """`((s0//2))` as `B//2`."""
    text = RAW.sub(lambda found: names.get(found.group(), found.group()), dim)
    whole = PARENTHESES.fullmatch(text)
    return whole.group(1) if whole else text


def _raw_symbols(trace: ShapeTrace) -> dict[str, int]:
    """In the order in which they come, with the size where a dim is the symbol alone."""
    found: dict[str, int] = {}
    for value in _values(trace):
        for position, dim in enumerate(value["dims"]):
            for raw in RAW.findall(dim):
                size = value["sizes"][position] if dim == raw and position < len(value["sizes"]) else -1
                if found.get(raw, -1) == -1:
                    found[raw] = size
    return found


def _by_users_code(trace: ShapeTrace, groups: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The most frequent name of each group that no other group has, with where it is from."""
    counts: dict[str, Counter[str]] = {}
    origins: dict[tuple[str, str], str] = {}
    for file in trace["files"]:
        lines = file["text"].splitlines()
        for row in file["names"]:
            dims = [value["dims"] for value in row["values"] if value["kind"] == "number"]
            found = {groups.get(dim[0], "") if len(dim) == 1 else "" for dim in dims}
            group = found.pop() if len(found) == 1 and len(dims) == len(row["values"]) else ""
            if group and PLAIN.fullmatch(row["name"]):
                counts.setdefault(group, Counter())[row["name"]] += row["calls"]
                line = lines[row["line"] - 1].strip() if row["line"] <= len(lines) else ""
                short = re.split(r"[\\/]", file["path"])[-1]
                origins.setdefault((group, row["name"]), f"{line[:80]} ({short}:{row['line']})")
    best = {group: names.most_common(1)[0][0] for group, names in counts.items()}
    owners = Counter(best.values())
    return {group: (name, origins[group, name]) for group, name in best.items() if owners[name] == 1}


def _values(trace: ShapeTrace) -> Iterator[ShapeValue]:
    for file in trace["files"]:
        for row in file["expressions"]:
            for value in row["values"]:
                yield from _whole(value)
        for name in file["names"]:
            for value in name["values"]:
                yield from _whole(value)
    for module in trace["modules"]:
        for output in module["outputs"]:
            yield from _whole(output)


def _whole(value: ShapeValue) -> Iterator[ShapeValue]:
    yield value
    for item in value["items"]:
        yield from _whole(item["value"])
