"""An allocation that fails, and what the memory is full of."""

from __future__ import annotations

from types import FrameType

from tensorpeek.catalogue import conditions
from tensorpeek.probe import raw
from tensorpeek.probe.budget import Deadline
from tensorpeek.probe.conditions.condition import Condition
from tensorpeek.probe.tensor_table import reachable
from tensorpeek.probe.tensors.facts import tensor_facts
from tensorpeek.probe.training.moments import Failure
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Report
from tensorpeek.probe.training.tracebacks import users_frames

WORDS = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "Invalid buffer size",
)
"""In the messages of allocators that raise a RuntimeError."""
LISTED = 12
MOST = 2000
"""Tensors of a frame that are looked at."""
BUDGET_MS = 300.0


class OutOfMemory(Condition):
    info = conditions.OUT_OF_MEMORY

    def on_failure(self, failure: Failure) -> Report | None:
        if not is_out_of_memory(failure.error):
            return None
        frames = users_frames(failure.traceback)
        place = frames[-1][1] if frames else None
        tensors = _largest(frames)
        first_line = str(failure.error).partition("\n")[0].strip()
        total = sum(size for _, size, _ in tensors)
        held = (
            f" The largest tensors that can be reached are `{tensors[0][0]}` with {_bytes(tensors[0][1])}"
            f"{f' and `{tensors[1][0]}` with {_bytes(tensors[1][1])}' if len(tensors) > 1 else ''}; "
            f"all together hold {_bytes(total)}."
            if tensors
            else ""
        )
        return Report(
            "Out of memory",
            f"Out of memory: {first_line[:300]}.{held}".replace("..", "."),
            place=place,
            evidence=[f"{_bytes(size):>9}  {name}  {line}" for name, size, line in tensors[:LISTED]],
            next=[
                "Compare the size that was asked for with the shapes: a broadcast or a wrong dimension asks "
                "for far too much.",
                "If it is only a little too much: a smaller batch, torch.no_grad() for evaluation, bfloat16, "
                "or gradient checkpointing.",
            ],
        )


def is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    if raw.is_a(type(error), "torch.OutOfMemoryError"):
        return True
    return isinstance(error, RuntimeError) and any(word in str(error) for word in WORDS)


def _largest(frames: list[tuple[FrameType, Place]]) -> list[tuple[str, int, str]]:
    """Name, bytes and a line about each tensor with a memory of its own, the largest first."""
    deadline = Deadline.after(BUDGET_MS)
    found: dict[str, tuple[str, int, str]] = {}
    for frame, place in reversed(frames):
        for each in reachable(frame.f_locals, MOST, deadline)[0]:
            facts = tensor_facts(each.value) if each.is_tensor else None
            if facts is None or not facts.storage or facts.storage in found:
                continue
            shape = "×".join(str(size) for size in facts.shape)
            where = f"{place.function}, line {place.line}"
            found[facts.storage] = (
                each.expression,
                facts.bytes,
                f"{facts.dtype}[{shape}] {facts.device} in {where}",
            )
    return sorted(found.values(), key=lambda row: -row[1])


def _bytes(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TB"
