"""What torch's profiler recorded becomes operations by shape, phases, and the backward time of modules."""

from __future__ import annotations

from dataclasses import dataclass, field

from tensorpeek.probe.profiling.hooks import MARK
from tensorpeek.probe.profiling.ops import Reduced, reduced


@dataclass
class Event:
    """As torch gives it; times in nanoseconds."""

    named: str
    start: int
    duration: int
    sequence: int = -1
    counted: int = 0
    sizes: list[list[int]] = field(default_factory=list)
    thread: int = 1

    def name(self) -> str:
        return self.named

    def start_ns(self) -> int:
        return self.start

    def duration_ns(self) -> int:
        return self.duration

    def sequence_nr(self) -> int:
        return self.sequence

    def flops(self) -> int:
        return self.counted

    def shapes(self) -> list[list[int]]:
        return self.sizes

    def start_thread_id(self) -> int:
        return self.thread

    def device_type(self) -> str:
        return "DeviceType.CPU"


STEP = [
    Event(f"{MARK}0", 0, 1000),
    Event(f"{MARK}1", 100, 800),
    Event("aten::conv2d", 200, 600, 7, 5000, [[1, 3, 8, 8], [4, 3, 3, 3], []]),
    Event("aten::convolution", 210, 580),
    Event("aten::mkldnn_convolution", 220, 500, sizes=[[1, 3, 8, 8], [4, 3, 3, 3]]),
    Event("aten::empty", 230, 400),
    Event("autograd::engine::evaluate_function: ConvolutionBackward0", 2000, 300, 7),
    Event("aten::convolution_backward", 2050, 200),
    Event("Optimizer.step#SGD.step", 3000, 500),
    Event("aten::item", 3100, 50),
    Event("aten::_local_scalar_dense", 3110, 30),
]


def rows(found: Reduced, steps: int = 1) -> dict[tuple[str, str], tuple[float, float, int]]:
    return {
        (row["name"], row["phase"]): (round(row["self"] * 1e9), round(row["total"] * 1e9), int(row["flops"]))
        for row in found.record(steps)
    }


def test_own_time_is_without_what_is_inside() -> None:
    found = rows(reduced(STEP))
    assert found["conv2d", "forward"] == (20, 600, 0)
    assert found["mkldnn_convolution", "forward"] == (100, 500, 5000)
    assert found["empty", "forward"] == (400, 400, 0)
    assert found["convolution_backward", "backward"] == (200, 200, 0)
    assert found["item", "optimizer"] == (20, 50, 0)


def test_counted_operations_stay_with_the_op_that_does_the_work_however_long_others_took() -> None:
    events = [Event("aten::addmm", 0, 100, counted=8192), Event("aten::expand", 10, 80)]
    found = rows(reduced(events))
    assert found["addmm", "other"] == (20, 100, 8192)
    assert found["expand", "other"] == (80, 80, 0)


def test_a_backward_operation_belongs_to_the_module_of_its_forward_operation() -> None:
    assert {number: round(s * 1e9) for number, s in reduced(STEP).backward.items()} == {1: 300}


def test_it_does_so_on_a_thread_of_its_own() -> None:
    events = [event for event in STEP if event.start < 2000]
    other = [
        Event(e.named, e.start - 2000, e.duration, e.sequence, thread=2) for e in STEP if e.start >= 2000
    ]
    assert {n: round(s * 1e9) for n, s in reduced([*other, *events]).backward.items()} == {1: 300}


def test_figures_are_of_one_step() -> None:
    assert rows(reduced(STEP), 2)["empty", "forward"] == (200, 200, 0)
