"""Calls of modules in a training, noted as cheaply as can be and looked at later."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, Callable

from tensorpeek.contract.messages import TracedModule
from tensorpeek.probe.shapes.first_call import inner
from tensorpeek.probe.shapes.module_map import ModuleMap
from tensorpeek.probe.shapes.values import described, of_facts
from tensorpeek.probe.training.places import Place, is_users_file, line_at


class ModuleCalls:
    """Hears of every call between `enter` and `leave`."""

    def __init__(
        self, root: Any, called: Callable[[FrameType], None], returned: Callable[[FrameType], None]
    ) -> None:
        """`called` hears of each call of the root, and `returned` of each return, by an exception too, with
        torch's frame that tells of it.
        """
        self._root = root
        self._tell_call, self._tell_return = called, returned
        self._begun: list[tuple[Any, CodeType | None, int]] = []
        self._given: list[tuple[Any, Any]] = []
        """A module with what its output is, or the facts of a plain tensor."""
        torch: Any = sys.modules["torch"]
        self._tensor: type = torch.Tensor
        self._modes: Callable[[], int] = torch._C._len_torch_function_stack

    def enter(self) -> None:
        """While the root is being called."""
        modules: Any = sys.modules["torch.nn.modules.module"]
        self._note_call(self._root, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        modules._global_forward_pre_hooks[self] = self._called
        modules._global_forward_hooks_always_called[self] = True
        modules._global_forward_hooks[self] = self._returned

    def leave(self) -> None:
        modules: Any = sys.modules["torch.nn.modules.module"]
        modules._global_forward_pre_hooks.pop(self, None)
        modules._global_forward_hooks.pop(self, None)
        modules._global_forward_hooks_always_called.pop(self, None)

    def rows(self) -> list[TracedModule]:
        """Once: what was noted is forgotten, and the root."""
        found = ModuleMap(inner(self._root))
        for module, code, instruction in self._begun:
            place = Place(code.co_filename, line_at(code, instruction), code.co_name) if code else None
            found.add_call(module, place)
        for module, given in self._given:
            if type(given) is tuple:
                shape, dtype, device = given
                given = of_facts("Tensor", shape, str(dtype).rpartition(".")[2], str(device))
            found.add_output(module, given)
        self._begun.clear()
        self._given.clear()
        self._root = None
        return found.rows()

    def _called(self, module: Any, args: tuple[Any, ...]) -> None:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        self._note_call(module, frame)
        if module is self._root:
            self._tell_call(frame)

    def _note_call(self, module: Any, frame: FrameType | None) -> None:
        while frame is not None and not is_users_file(frame.f_code.co_filename):
            frame = frame.f_back
        self._begun.append((module, frame.f_code, frame.f_lasti) if frame is not None else (module, None, 0))

    def _returned(self, module: Any, args: tuple[Any, ...], output: Any) -> None:
        try:
            if type(output) is self._tensor and not self._modes():
                self._given.append((module, (output.shape, output.dtype, output.device)))
            else:
                self._given.append((module, described(output)))
        except Exception:  # noqa: BLE001  the program must not notice a fault of ours
            pass
        self._tell_return(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
