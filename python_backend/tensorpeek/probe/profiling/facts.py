"""What is known of the program without measuring: modes that were left on, and what torch warned of."""

from __future__ import annotations

import sys
from typing import Any

from tensorpeek.contract.messages import ProfiledFact
from tensorpeek.probe.profiling.stacks import text_of
from tensorpeek.probe.training.places import Place, here, is_users_file

SLOW_LIST = "Creating a tensor from a list of numpy.ndarrays is extremely slow"


class AnomalyMode:
    """Of autograd: the steps in which it was on, and where it was switched on."""

    def __init__(self) -> None:
        self._place: Place | None = None
        self._steps = 0

    def was_set(self) -> None:
        self._place = here()

    def step_ended(self) -> None:
        if sys.modules["torch"].is_anomaly_enabled():
            self._steps += 1

    def facts(self) -> list[ProfiledFact]:
        if not self._steps:
            return []
        place = self._place or Place("", 0)
        return [
            {
                "kind": "anomaly-mode",
                "path": place.path,
                "line": place.line,
                "text": text_of(place.path, place.line),
                "count": self._steps,
                "words": "",
            }
        ]


def warned_of() -> list[ProfiledFact]:
    """Lines of which torch has warned that they are slow; Python notes in each module where it did."""
    found: dict[tuple[str, int], ProfiledFact] = {}
    for module in list(sys.modules.values()):
        namespace: dict[str, Any] = getattr(module, "__dict__", {})
        registry, path = namespace.get("__warningregistry__"), namespace.get("__file__")
        if not isinstance(registry, dict) or not isinstance(path, str) or not is_users_file(path):
            continue
        for key in list(registry):
            if not isinstance(key, tuple) or len(key) != 3 or not str(key[0]).startswith(SLOW_LIST):
                continue
            line = int(key[2])
            found[path, line] = {
                "kind": "list-of-arrays",
                "path": path,
                "line": line,
                "text": text_of(path, line),
                "count": 1,
                "words": "",
            }
    return list(found.values())
