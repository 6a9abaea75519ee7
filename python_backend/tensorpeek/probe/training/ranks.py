"""Ranks that train together stop together: none of them waits in a collective for one that stands still.

The program's store tells the others, and the step's own communication does the rest: who finds something
before its backward pass raises a flag at once and stops at the optimizer's step. Whoever comes to that step
has had the gradients of all ranks, so its flag is up; there the others wait, by asking the store.

What is found at the step itself may be found by one rank while another is already past it. Then the flag
counts only if all the others come to it soon; else everyone goes on, and stops at the next step.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable

from tensorpeek.probe.training.actions import set_rate
from tensorpeek.probe.training.blind import lacks_steps
from tensorpeek.probe.training.findings import rank
from tensorpeek.probe.training.places import user_frame

if TYPE_CHECKING:
    from tensorpeek.contract.messages import Finding
    from tensorpeek.probe.training.training import Training

POLL_S = 0.02
BEAT_S = 0.5
SILENCE_S = 10.0
"""A rank that was not heard of for so long is gone, and nobody waits for it."""
GATHER_S = 1.0
"""So long a rank that found something at the step waits for the others to come to it."""
ON_THE_WAY_S = 3.0
"""So long the others wait for a rank to come to the step that has raised its flag before."""
SAID_AFTER_S = 0.5
WITHDRAWN = 1 << 32
"""Added to those who came to a flag when they are not waited for."""
AT_ONCE = ("failure", "end")
"""Moments after which no step comes."""


class Ranks:
    def __init__(self, training: Training) -> None:
        self._training = training
        self.may_stop = False
        """Whether findings stop the program; while they don't, nobody asks the store for anything."""
        self.say: Callable[[str], None] = lambda text: None
        """Told why this rank waits."""
        self._group: Any = None
        self._store: Any = None
        self._seen = 0
        """The last flag that is done with."""
        self._flag: _Flag | None = None
        self._is_at_once = True
        self._waiting: list[Callable[[FrameType | None], object]] = []

    def announce(self, kind: str, title: str) -> None:
        """A finding of such a moment is going to stop this rank."""
        store = self._shared() if self.may_stop else None
        is_waiting_in_vain = lacks_steps(self._training)
        self._is_at_once = store is None or kind in AT_ONCE or is_waiting_in_vain
        if not self._is_at_once and self._flag is None:
            self._guarded(lambda: self._raise(store, title, at_step=kind == "gradients"))

    def stop(self, frame: FrameType | None, stop: Callable[[FrameType | None], object]) -> None:
        """Calls `stop` with a frame to stop in: now, or at the step when the other ranks are there too."""
        if self._is_at_once or self._flag is None:
            stop(frame)
        else:
            self._waiting.append(stop)

    def before_step(self) -> None:
        """The optimizer's step is next; the gradients of all ranks are in it."""
        if not self.may_stop and not self._waiting:
            return
        store = self._shared() if self.may_stop else None
        if store is None:
            self._stop_alone()
            return
        flags = self._guarded(lambda: store.add("flags", 0))
        if flags is None or flags == self._seen:
            return
        begun = time.perf_counter()
        try:
            self._guarded(lambda: self._take_turns(store))
        finally:
            self._training.stopped_for(time.perf_counter() - begun)

    def tell(self, finding: Finding) -> None:
        """Something was not finite before the backward pass, which will give it to the other ranks."""
        store = self._shared()
        if store is not None:
            where = f"{Path(finding['path']).name}:{finding['line']}"
            told = {"rank": rank(), "step": finding["step"], "what": f"{finding['title']} at {where}"}
            self._guarded(lambda: store.set("not finite", json.dumps(told)))

    def told_by_another(self, step: int) -> str:
        """Where another rank had something that was not finite in this step, empty when none has said so."""
        store = self._shared()
        if store is None or not self._guarded(lambda: store.check(["not finite"])):
            return ""
        told = json.loads(self._guarded(lambda: store.get("not finite")) or "{}")
        if told.get("rank", rank()) == rank() or abs(told["step"] - step) > 1:
            return ""
        return f"Rank {told['rank']} had {told['what']}, and the averaged gradients brought it here."

    def ended(self) -> None:
        """Nobody is to wait for a process that ends."""
        flag, self._flag = self._flag, None
        self._waiting.clear()
        if flag is not None:
            self._guarded(lambda: flag.lower({}))

    # Mine

    def _raise(self, store: Any, title: str, *, at_step: bool) -> None:
        number = store.add("flags", 1)
        self._flag = _Flag(store, number, title, at_step)
        if at_step:
            # Who raises a flag here has come to the flags of the others.
            for other in range(self._seen + 1, number):
                store.add(f"{other}/here", 1)
            self._flag.hold()

    def _take_turns(self, store: Any) -> None:
        """One flag after the other, so that two ranks don't ask the user at the same time."""
        while self._seen < store.add("flags", 0):
            number, flag = self._seen + 1, self._flag
            if flag is None or number != flag.number:
                if not self._wait(store, number):
                    return
                self._seen = number
                continue
            self._seen = number
            if flag.at_step and not self._all_are_here(store, flag):
                flag.lower({})
                self._raise(store, flag.title, at_step=False)
                return
            self._stop_together(flag)

    def _all_are_here(self, store: Any, flag: _Flag) -> bool:
        others = self._group.size() - 1
        end = time.monotonic() + GATHER_S
        while store.add(f"{flag.number}/here", 0) < others:
            if time.monotonic() > end:
                return store.add(f"{flag.number}/here", WITHDRAWN) - WITHDRAWN >= others
            time.sleep(POLL_S)
        return True

    def _stop_together(self, flag: _Flag) -> None:
        flag.hold()
        rates = _learning_rates(self._training)
        told: dict[str, Any] = {}
        try:
            self._stop_alone()
            told["skip"] = self._training.wishes.skips_step
            after = _learning_rates(self._training)
            told["rates"] = after if after != rates else []
        except SystemExit as end:
            told["exit"] = end.code if isinstance(end.code, int) else int(end.code is not None)
            raise
        finally:
            self._flag = None
            flag.lower(told)

    def _stop_alone(self) -> None:
        stops, self._waiting = self._waiting, []
        frame = user_frame() if stops else None
        for stop in stops:
            try:
                stop(frame)
            except Exception as error:  # noqa: BLE001, PERF203  the program must not notice
                self._training.note_problem("while stopping", error)

    # The others'

    def _wait(self, store: Any, number: int) -> bool:
        """Returns whether the flag is done with."""
        if store.add(f"{number}/here", 1) >= WITHDRAWN:
            return True
        begun = time.monotonic()
        beats, heard, is_said = 0, begun, False
        while not store.check([f"{number}/over"]):
            now = time.monotonic()
            count = store.add(f"{number}/beats", 0)
            if count != beats:
                beats, heard = count, now
            if not beats and now - begun > ON_THE_WAY_S:
                return False
            if now - heard > SILENCE_S:
                self.say(f"Rank {rank()} goes on: the rank that it waited for is gone.")
                return True
            if beats and not is_said and now - begun > SAID_AFTER_S:
                is_said = True
                self.say(f"Rank {rank()} waits: {store.get(f'{number}/why').decode()}.")
            time.sleep(POLL_S)
        self._do_as_told(json.loads(store.get(f"{number}/over")))
        return True

    def _do_as_told(self, told: dict[str, Any]) -> None:
        """What the user has decided at one rank holds for all, whose weights must stay the same."""
        if told.get("exit") is not None:
            raise SystemExit(told["exit"])
        if told.get("skip"):
            self._training.wishes.skips_step = True
        rates = told.get("rates") or []
        if len(rates) == len(_learning_rates(self._training)):
            for optimizer in self._training.optimizers:
                for group in optimizer.param_groups:
                    set_rate(group, rates.pop(0))

    # The store

    def _shared(self) -> Any:
        """The store of all ranks; None where this process trains alone."""
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available():
            return None
        if not distributed.is_initialized() or distributed.get_world_size() < 2:
            return None
        group = distributed.distributed_c10d._get_default_group()
        if group is not self._group:
            self._group, self._seen = group, 0
            store = distributed.distributed_c10d._get_default_store()
            self._store = distributed.PrefixStore("tensorpeek", store)
        return self._store

    def _guarded(self, ask: Callable[[], Any]) -> Any:
        """None where the store does not answer; then each rank is by itself from now on."""
        try:
            return ask()
        except (RuntimeError, ValueError, OSError) as error:  # torch's own are RuntimeErrors
            self.may_stop, self._flag = False, None
            self._training.note_problem("ranks no longer stop together", error)
            self._stop_alone()
            return None


class _Flag:
    """Says that this rank is going to stop, and while it stands that it is alive."""

    def __init__(self, store: Any, number: int, title: str, at_step: bool) -> None:
        self._store = store
        self.number = number
        self.title = title
        self.at_step = at_step
        """Whether it was raised at the step, so that others may be past it."""
        self._over = threading.Event()
        self._is_held = False
        store.set(f"{number}/why", f"rank {rank()} has stopped at “{title}”")

    def hold(self) -> None:
        """This rank stands at the step, and waits for nobody."""
        if self._is_held:
            return
        self._is_held = True
        self._beat()
        thread: Any = threading.Thread(target=self._beat_on, name="tensorpeek", daemon=True)
        # A debugger's stop stops all threads but those that it takes for its own.
        thread.is_pydev_daemon_thread = thread.pydev_do_not_trace = True
        thread.start()

    def lower(self, told: dict[str, Any]) -> None:
        self._over.set()
        self._store.set(f"{self.number}/over", json.dumps(told))

    def _beat(self) -> None:
        self._store.add(f"{self.number}/beats", 1)

    def _beat_on(self) -> None:
        with suppress(RuntimeError, OSError):  # the rank that keeps the store may have ended
            while not self._over.wait(BEAT_S):
                self._beat()


def _learning_rates(training: Training) -> list[float]:
    return [float(group["lr"]) for optimizer in training.optimizers for group in optimizer.param_groups]
