"""A view or reshape that puts entries together which do not belong together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tensorpeek.probe.shape_faults import reshapes
from tensorpeek.probe.shapes.remarks.ancestry import Ancestry
from tensorpeek.probe.shapes.remarks.operations import VIEWS, Operation
from tensorpeek.probe.shapes.remarks.rule import Fault, Pass, Rule
from tensorpeek.probe.shapes.remarks.samples import Torn

MOST_SHOWN = 4


class MixingReshape(Rule):
    name = "mixing-reshape"
    description = (
        "A view or reshape stands where a transpose belongs, so that samples, heads or positions mix."
    )

    def look(self, operation: Operation, seen: Pass) -> Iterator[Fault]:
        if operation.name not in VIEWS or operation.spot is None or _is_cut(operation, seen):
            return
        torn = seen.samples.torn.get(operation)
        if torn is not None:
            yield _of_samples(operation, torn, seen)
            return
        before, after = operation.inputs[0], operation.outputs[0]
        if -1 in (*before.sizes, *after.sizes):
            return
        mixed = reshapes.mixing(before.sizes, after.sizes, Ancestry(before))
        if mixed is None:
            return
        turned = mixed.maker.spot if mixed.maker is not None else None
        yield Fault(
            "Reshape that mixes",
            mixed.message(),
            operation.spot,
            evidence=[f"{seen.text(before)} → {seen.text(after)}", _row(before.sizes, after.sizes)],
            next=[mixed.advice()],
            related=[(turned, f"becomes {list(mixed.before)} here")] if turned is not None else [],
        )


def _of_samples(operation: Operation, torn: Torn, seen: Pass) -> Fault:
    spot = operation.spot
    assert spot is not None
    before, after = operation.inputs[0], operation.outputs[0]
    at, to = before.batch_dim, after.batch_dim
    row = torn.row()
    shown = ", ".join(map(str, islice(row, MOST_SHOWN))) + (", …" if len(row) > MOST_SHOWN else "")
    made = seen.made_by_user(before)
    return Fault(
        "Reshape that mixes samples",
        f"{seen.text(before)} is reshaped to {seen.text(after)}: the batch is in dimension {at} before and "
        f"in dimension {to} behind it, but a reshape keeps the order of the elements. What stands in row 0 "
        f"afterwards is put together from {len(row)} samples.",
        spot,
        evidence=[
            f"{seen.text(before)} → {seen.text(after)}",
            f"by the order of the elements, row 0 holds parts of samples {shown}",
        ],
        next=[f"Move the batch to dimension {to} before the reshape, with transpose or permute."]
        if at != to
        else ["Name the parts of each dimension with view, then permute them, then merge."],
        related=[(made, f"{seen.text(before)} is made here")] if made is not None and made != spot else [],
        mixes_samples=True,
    )


def _row(before: tuple[int, ...], after: tuple[int, ...]) -> str:
    """Which entries of the operand the first of the result's last dimension holds."""
    count = after[-1]
    parts: list[str] = []
    stride = 1
    for size in reversed(before):
        last = min(size - 1, (count - 1) // stride)
        parts.append(f"0:{last + 1}" if last else "0")
        stride *= size
    return f"result[{', '.join('0' for _ in after[:-1])}] holds operand[{', '.join(reversed(parts))}]"


def _is_cut(operation: Operation, seen: Pass) -> bool:
    """A table of relative positions is shifted by reshaping it, and cut to size right behind that."""
    after = operation.outputs[0]
    return any(user.name == "slice" and user.outputs[0].sizes != after.sizes for user in seen.users_of(after))
