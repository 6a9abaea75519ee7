"""Listens to the operations of a pass."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from typing import Any, Callable

from tensorpeek.probe.shapes.call import Call, tensors_of
from tensorpeek.probe.shapes.remarks.operations import Operations


@contextlib.contextmanager
def observed(call: Call, wants: Callable[[str], bool]) -> Generator[Operations]:
    """Meanwhile, in this thread. `wants` says of a file's path whether its code is the user's."""
    operations = Operations(wants)
    operations.give(tensors_of((call.args, call.kwargs)))
    base: Any = sys.modules["torch.utils._python_dispatch"].TorchDispatchMode

    class Observer(base):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            output = function(*args, **(kwargs or {}))
            try:
                given = (*args, *(kwargs or {}).values())
                operations.add(function, given, output, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
            except Exception:  # noqa: BLE001  the program must not notice a fault of ours
                pass
            return output

    with Observer():
        yield operations
