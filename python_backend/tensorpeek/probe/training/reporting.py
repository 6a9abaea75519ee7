"""Makes findings of what conditions report, with what made the first NaN, and tells the listeners."""

from __future__ import annotations

from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable

from tensorpeek.contract.messages import Finding
from tensorpeek.probe.training.active import Active
from tensorpeek.probe.training.findings import make_finding
from tensorpeek.probe.training.places import place_of
from tensorpeek.probe.training.producers import add_producer
from tensorpeek.probe.training.report import Report

if TYPE_CHECKING:
    from tensorpeek.probe.training.training import Training

Listener = Callable[[Finding, "FrameType | None", "dict[str, Any]"], None]
KEPT = 100


class Reporting:
    def __init__(self, training: Training) -> None:
        self.findings: list[Finding] = []
        """The latest 100."""
        self.listeners: list[Listener] = []
        self._training = training
        self._number = 0
        self._bad_input_at = -1
        """The last step whose batch was found to be wrong."""
        self._not_finite_at = -2
        """The last step in which something was not finite."""

    def report(self, kind: str, reports: list[tuple[Active, Report]], frame: FrameType | None) -> None:
        """In the thread of the moment; what listeners raise to end the program passes through."""
        training = self._training
        step = training.clock.step
        for active, report in reports:
            is_known = report.seeks_producer and (self._is_known() or self._bad_input_at == step)
            if is_known:
                continue
            elsewhere = report.seeks_producer and kind == "gradients" and training.ranks.told_by_another(step)
            if elsewhere:
                report.message, report.is_warning = f"{report.message} {elsewhere}", True
            if not report.is_warning:
                training.ranks.announce(kind, report.title)
            if report.seeks_producer and not elsewhere:
                try:
                    add_producer(training.record, kind, report, frame)
                except Exception as error:  # noqa: BLE001  what is known without a replay is told
                    training.note_problem("while replaying the step", error)
            if report.is_of_batch:
                self._bad_input_at = step
            self._number += 1
            finding = make_finding(
                active.id,
                report,
                place_of(frame),
                number=self._number,
                step=step if training.sees_steps else -1,
                epoch=training.clock.epoch,
            )
            self.findings.append(finding)
            del self.findings[:-KEPT]
            if report.seeks_producer and kind != "gradients":
                training.ranks.tell(finding)
            begun = perf_counter()
            for listener in self.listeners:
                self._tell(listener, finding, frame, report)
            training.stopped_for(perf_counter() - begun)

    def _tell(self, listener: Listener, finding: Finding, frame: FrameType | None, report: Report) -> None:
        try:
            listener(finding, frame, report.values)
        except Exception as error:  # noqa: BLE001  the program must not notice
            self._training.note_problem("while telling of a finding", error)

    def _is_known(self) -> bool:
        """Whether something was not finite just before: what follows from it is no news."""
        step = self._training.clock.step
        known = step - self._not_finite_at <= 1
        self._not_finite_at = step
        return known
