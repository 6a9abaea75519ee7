"""Small things of torch: generators, devices, sizes, storages, autograd nodes."""

from __future__ import annotations

import math
import types
from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.contract.quantities import bytes_text
from tensorpeek.probe import raw
from tensorpeek.probe.kinds.container import ContainerKind
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.presentation import present


class WordKind:
    """`torch.float32`, `cuda:0`, `torch.strided`: the word itself."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "torch.dtype", "torch.device", "torch.layout", "torch.memory_format")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        return present(str(value), self.presentation_kind)

    def children(self, value: Any) -> None:
        return None


class SizeKind:
    """`[64, 10] 640 elements`."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "torch.Size")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        sizes = list(tuple.__iter__(value))
        text = f"[{', '.join(map(str, sizes))}]"
        if len(sizes) > 1 and all(type(size) is int for size in sizes):
            text += f" {math.prod(sizes):,} elements"
        return present(text, self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        return ContainerKind().children(value)


class GeneratorKind:
    """`Generator cpu seed 42`. The state itself is 5 KB of bytes and is left alone."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "torch._C.Generator")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        text = f"{raw.class_name(type(value))} {value.device} seed {value.initial_seed()}"
        return present(text, self.presentation_kind)

    def children(self, value: Any) -> None:
        return None


class StorageKind:
    """`UntypedStorage 400 KB cpu`. torch's own repr prints every byte, and pydevd's rows list them."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, "torch.storage.TypedStorage", "torch._C.StorageBase")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        words = [raw.class_name(type(value))]
        untyped = untyped_storage(value)
        dtype = raw.attributes(value).get("dtype")
        if dtype is not None:
            words.append(str(dtype).rpartition(".")[2])
        words += [bytes_text(untyped.nbytes()), str(untyped.device)]
        if not untyped.resizable():
            words.append("fixed size")
        return present(" ".join(words), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        untyped = untyped_storage(value)
        return [
            Child("bytes", untyped.nbytes(), ".nbytes()"),
            Child("device", untyped.device, ".device"),
            Child("resizable", untyped.resizable(), None),
        ]


def untyped_storage(storage: Any) -> Any:
    """The one inside a TypedStorage, whose own methods warn of deprecation."""
    return raw.attributes(storage).get("_untyped_storage", storage)


class GraphNodeKind:
    """An autograd node: its name, and the nodes whose gradients it feeds.

    Its properties are left alone: those of saved tensors would run the user's unpack hooks.
    """

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        """The nodes of C++ have no base in common; a property of the user's is no descriptor of C."""
        return all(type(raw.in_class(cls, name)) is C_PROPERTY for name in ("next_functions", "metadata"))

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        following = [
            raw.class_name(type(node)) for node, _ in c_property(value, "next_functions") if node is not None
        ]
        text = raw.class_name(type(value))
        if following:
            text += f" → {', '.join(following)}"
        return present(text, self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        rows = [
            Child(f"[{index}]", node, f".next_functions[{index}][0]")
            for index, (node, _) in enumerate(c_property(value, "next_functions"))
            if node is not None
        ]
        if raw.class_name(type(value)) == "AccumulateGrad":
            rows.append(Child("variable", c_property(value, "variable"), ".variable"))
        own = raw.attributes(value).items()
        return [*rows, *(Child(name, attribute, f".{name}") for name, attribute in own)]


C_PROPERTY = types.GetSetDescriptorType


def c_property(value: object, name: str) -> Any:
    """What the property gives, without the class having a say."""
    return raw.in_class(type(value), name).__get__(value)
