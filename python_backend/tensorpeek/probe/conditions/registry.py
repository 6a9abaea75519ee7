"""The class of every training-wide condition, one to one with `catalogue.conditions`."""

from __future__ import annotations

from tensorpeek.probe.conditions.condition import Condition

CLASSES: tuple[type[Condition], ...] = ()
"""In the order of the check boxes."""
BY_ID = {cls.info.id: cls for cls in CLASSES}
