"""Exact statistics of many numbers within a budget of time and 2 MiB of memory."""

from tensorpeek.probe.statistics.accumulator import Statistics
from tensorpeek.probe.statistics.array_scan import scan_array
from tensorpeek.probe.statistics.scan import Scan
from tensorpeek.probe.statistics.tensor_scan import scan_tensor

__all__ = ["Scan", "Statistics", "scan_array", "scan_tensor"]
