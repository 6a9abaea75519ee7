"""What a training run leaves behind, as one JSON line: equal lines mean that nobody disturbed the run."""

from __future__ import annotations

import hashlib
import json
import random
import sys
import warnings
import weakref
from collections import Counter
from typing import Any

import torch


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _bytes_of(tensor: torch.Tensor) -> bytes:
    return bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).tolist())


class Witness:
    """Collects losses and everything a debugger could touch by accident; `report` prints it."""

    def __init__(self, seed: int = 0) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed)
        self.losses: list[str] = []
        self.log: Counter[str] = Counter()
        self.facts: dict[str, object] = {}
        self._tensors: dict[str, torch.Tensor] = {}
        self._weights: list[bytes] = []
        self._generators: list[torch.Generator] = []
        self._mortal: list[weakref.ref[torch.Tensor]] = []
        self._count_warnings()

    def _count_warnings(self) -> None:
        show = warnings.showwarning

        def counted(*args: Any, **kwargs: Any) -> None:
            self.log["warnings"] += 1
            show(*args, **kwargs)

        warnings.showwarning = counted

    def loss(self, loss: float) -> None:
        """Keeps every bit of one loss."""
        self.losses.append(loss.hex())

    def watch(self, **tensors: torch.Tensor) -> None:
        """Reports `_version`, resizability and copy-on-write state of these at the end."""
        self._tensors.update(tensors)

    def weights(self, *modules: torch.nn.Module) -> None:
        """Adds every parameter and buffer, bit for bit."""
        for module in modules:
            self._weights += [_bytes_of(tensor) for tensor in module.state_dict().values()]

    def generator(self, generator: torch.Generator) -> None:
        """Adds a random generator of the script's own."""
        self._generators.append(generator)

    def must_die(self, tensor: torch.Tensor) -> None:
        """The script drops this tensor before the end; whoever keeps it alive is found out."""
        self._mortal.append(weakref.ref(tensor))

    def _random_states(self) -> str:
        states = [_bytes_of(torch.get_rng_state()), repr(random.getstate()).encode()]
        states += [_bytes_of(generator.get_state()) for generator in self._generators]
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            states.append(repr(numpy.random.get_state()).encode())
        return _digest(states)

    def report(self) -> None:
        """Prints the line."""
        random_states = self._random_states()
        watched = {
            name: {
                "version": None if tensor.is_inference() else tensor._version,
                "resizable": tensor.untyped_storage().resizable(),
                "copyOnWrite": torch._C._is_cow_tensor(tensor),
                "hooks": len(tensor._backward_hooks or ()),
            }
            for name, tensor in self._tensors.items()
        }
        line = {
            "losses": self.losses,
            "weights": _digest(self._weights),
            "random": random_states,
            "watched": watched,
            "log": dict(sorted(self.log.items())),
            "kept alive": sum(reference() is not None for reference in self._mortal),
            **self.facts,
        }
        print(json.dumps(line))
