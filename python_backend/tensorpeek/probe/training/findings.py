"""Makes a finding, as it is written and sent, of what a condition reports."""

from __future__ import annotations

import linecache
import math
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tensorpeek.contract.messages import Finding, Number
from tensorpeek.probe.titles import clipped
from tensorpeek.probe.training.places import Place

if TYPE_CHECKING:
    from tensorpeek.probe.training.report import Report

HISTORY = 100


def make_finding(
    condition: str, report: Report, place: Place | None, *, number: int, step: int, epoch: int
) -> Finding:
    """`place` is the user's line of the moment, for a report that names none."""
    place = report.place or place or Place("", 0)
    return {
        "number": number,
        "condition": condition,
        "title": clipped(report.title),
        "message": report.message,
        "path": place.path and str(Path(place.path).absolute()),
        "line": place.line,
        "lineText": linecache.getline(place.path, place.line).rstrip("\r\n") if place.line else "",
        "module": report.module,
        "step": step,
        "epoch": epoch,
        "rank": rank(),
        "time": datetime.now().astimezone().isoformat(timespec="milliseconds"),
        "value": None if report.value is None else wire_number(report.value),
        "threshold": None if report.threshold is None else wire_number(report.threshold),
        "history": [wire_number(value) for value in report.history[-HISTORY:]],
        "evidence": list(report.evidence),
        "next": list(report.next),
        "related": [
            {
                "path": related.place.path and str(Path(related.place.path).absolute()),
                "line": related.place.line,
                "message": related.message,
            }
            for related in report.related
        ],
        "stopped": not report.is_warning,
    }


def wire_number(value: float) -> Number:
    """As JSON can say it."""
    if math.isfinite(value):
        return float(value)
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def rank() -> int:
    """Of this process among those that train together."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    text = os.environ.get("RANK", "0")
    return int(text) if text.isdigit() else 0
