"""Gives the symbols of a trace the names that the user's code has for them: `b, t, d = x.shape`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tensorpeek.contract.messages import ShapeSymbol, ShapeTrace, ShapeValue
from tensorpeek.probe.shapes.call import Role
from tensorpeek.probe.shapes.names_in_code import Rank, claims
from tensorpeek.probe.training.places import is_users_file

RAW = re.compile(r"\b[suzf]\d+\b")
PARENTHESES = re.compile(r"\(([\w*/ ]+)\)")


def name_symbols(trace: ShapeTrace, roles: dict[str, Role]) -> dict[str, str]:
    """Replaces torch's symbols, as `s0`, in all dims, and fills `symbols`. Returns the names by torch's."""
    found = _raw_symbols(trace)
    sizes = {raw: found[raw] for raw in (*roles, *found) if raw in found}
    # The batch of each input is a symbol of its own at first.
    groups = {raw: _group(raw, roles) for raw in sizes}
    chosen = _by_code(trace, groups)
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
    trace["problem"] = named(trace["problem"], names)
    for remark in trace["remarks"]:
        remark["message"] = named(remark["message"], names)
    return names


def _group(raw: str, roles: dict[str, Role]) -> str:
    role = roles.get(raw)
    return raw if role is None else f"{role.name} of {role.size}"


def named(text: str, names: dict[str, str]) -> str:
    """A text of torch's with these names in the places of its symbols."""
    return RAW.sub(lambda found: names.get(found.group(), found.group()), text)


def readable(dim: str, names: dict[str, str]) -> str:
    """`((s0//2))` as `B//2`."""
    text = named(dim, names)
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


def _by_code(trace: ShapeTrace, groups: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The best name of each group, with where it is from; none that stands for two groups."""
    counts: dict[str, Counter[tuple[Rank, str]]] = {}
    owners: dict[str, set[str]] = {}
    origins: dict[tuple[str, str], str] = {}
    for file in trace["files"]:
        for claim in claims(file, is_users_file(file["path"])):
            found = {groups.get(dim, "") for dim in claim.dims}
            owners.setdefault(claim.name, set()).update(found - {""})
            group = found.pop() if len(found) == 1 else ""
            if group:
                counts.setdefault(group, Counter())[claim.rank, claim.name] += claim.times
                origins.setdefault((group, claim.name), claim.origin)
    chosen: dict[str, tuple[str, str]] = {}
    for group, names in counts.items():
        own = {key: times for key, times in names.items() if len(owners[key[1]]) == 1}
        best = max((rank for rank, _ in own), default=None)
        ranked = Counter({name: times for (rank, name), times in own.items() if rank is best}).most_common(2)
        # A pattern has a letter for each operand's length, of which none is the name of all.
        if ranked and (best is Rank.ASSIGNED or len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            chosen[group] = ranked[0][0], origins[group, ranked[0][0]]
    return chosen


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
