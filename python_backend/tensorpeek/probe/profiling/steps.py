"""The steps of a training: a table that stays small, sums without the unusual ones, and the longest."""

from __future__ import annotations

import heapq
import statistics

from tensorpeek.contract.messages import ProfiledPhase, ProfiledStep, ProfiledSteps
from tensorpeek.probe.profiling.stopwatch import PHASES

MOST_ROWS = 1000
"""When there are so many, two become one, so that an hour takes no more room than a minute."""
LONGEST_KEPT = 20
OUTLIER = 3.0
"""Times the median of a step."""
LEAST_OUTLIER_S = 0.005
ENOUGH = 3
"""Steps outside of the window that are enough to leave those inside of it out of the sums."""

Row = list[float]
"""Start, seconds, then the phases."""


class Steps:
    def __init__(self) -> None:
        self.count = 0
        self.start_up_ended = 0.0
        """When the first step had ended, since the start of the program."""
        self._per_row = 1
        self._rows: list[Row] = []
        self._open: list[Row] = []
        """Of the row that is not full yet."""
        self._longest: list[tuple[float, int, Row]] = []
        self._usual = [0.0] * (len(PHASES) + 1)
        self._usual_count = 0
        self._in_window = [0.0] * (len(PHASES) + 1)
        self._in_window_count = 0
        self._joins_next = False

    def add(self, start: float, seconds: float, phases: list[float], is_in_window: bool) -> None:
        row = [start, seconds, *phases]
        if self._joins_next:
            rows = [*self._rows, *self._open, row]
            self.__init__()
            row = _joined(rows)
        if self.count == 0:
            self.start_up_ended = row[0] + row[1]
        else:
            sums = self._in_window if is_in_window else self._usual
            for position, value in enumerate(row[1:]):
                sums[position] += value
            if is_in_window:
                self._in_window_count += 1
            else:
                self._usual_count += 1
                entry = (seconds, self.count, row)
                if len(self._longest) < LONGEST_KEPT:
                    heapq.heappush(self._longest, entry)
                elif seconds > self._longest[0][0]:
                    heapq.heapreplace(self._longest, entry)
        self.count += 1
        self._open.append(row)
        if len(self._open) == self._per_row:
            self._rows.append(_joined(self._open))
            self._open.clear()
            if len(self._rows) >= MOST_ROWS:
                self._rows = [_joined(self._rows[at : at + 2]) for at in range(0, len(self._rows), 2)]
                self._per_row *= 2

    def join_next(self) -> None:
        """All so far were parts of the step that is added next, which is the first one."""
        self._joins_next = True

    def measured(self) -> tuple[int, float, list[float]]:
        """How many steps, their seconds, and the seconds of each phase in them."""
        if self._usual_count >= ENOUGH or self._usual_count >= self._in_window_count:
            return self._usual_count, self._usual[0], self._usual[1:]
        return self._in_window_count, self._in_window[0], self._in_window[1:]

    def phases(self) -> list[ProfiledPhase]:
        count, seconds, sums = self.measured()
        if not count or not seconds:
            return []
        rows = self._rows[1:] or self._rows
        columns = [[row[2 + phase] / self._per_row for row in rows] for phase in range(len(PHASES))]
        columns.append([(row[1] - sum(row[2:])) / self._per_row for row in rows])
        sums = [*sums, seconds - sum(sums)]
        return [
            {
                "name": name,
                "seconds": round(total, 6),
                "share": round(max(0.0, min(1.0, total / seconds)), 4),
                "median": round(statistics.median(column), 6) if column else 0.0,
            }
            for name, total, column in zip(
                ("data", "transfer", "forward", "backward", "optimizer", "other"), sums, columns
            )
        ]

    def table(self) -> ProfiledSteps:
        rows = self._rows
        columns: list[list[float]] = [
            [round(row[2 + phase] * 1e3, 3) for row in rows] for phase in range(len(PHASES))
        ]
        data, transfer, forward, backward, optimizer = columns
        return {
            "perRow": self._per_row,
            "start": [round(row[0], 4) for row in rows],
            "seconds": [round(row[1], 6) for row in rows],
            "data": data,
            "transfer": transfer,
            "forward": forward,
            "backward": backward,
            "optimizer": optimizer,
        }

    def outliers(self) -> list[ProfiledStep]:
        count, _, _ = self.measured()
        if count < 2 * ENOUGH:
            return []
        rows = self._rows[1:]
        usual = [statistics.median(column) / self._per_row for column in zip(*(row[1:] for row in rows))]
        found: list[ProfiledStep] = []
        for seconds, number, row in sorted(self._longest, reverse=True):
            if seconds < OUTLIER * usual[0] or seconds - usual[0] < LEAST_OUTLIER_S:
                continue
            more = [value - median for value, median in zip(row[2:], usual[1:])]
            more.append(seconds - usual[0] - sum(more))
            most = max(range(len(more)), key=more.__getitem__)
            name = (*PHASES, "other")[most]
            of_phase = seconds - sum(row[2:]) if most == len(PHASES) else row[2 + most]
            found.append(
                {
                    "step": number,
                    "start": round(row[0], 4),
                    "seconds": round(seconds, 6),
                    "phase": name,
                    "phaseSeconds": round(of_phase, 6),
                }
            )
        return found


def _joined(rows: list[Row]) -> Row:
    return [rows[0][0], *(sum(column) for column in zip(*(row[1:] for row in rows)))]
