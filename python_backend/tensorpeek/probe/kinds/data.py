"""Where batches come from: DataLoader, and the datasets whose length is known without running `__len__`."""

from __future__ import annotations

from typing import Any

from tensorpeek.contract.messages import Presentation, PresentationKind
from tensorpeek.probe import raw, reach
from tensorpeek.probe.kinds.kind import Child
from tensorpeek.probe.kinds.rows import all_attributes, own_rows
from tensorpeek.probe.presentation import present
from tensorpeek.probe.shorthand import shorthand
from tensorpeek.probe.tensors.facts import tensor_facts

DATA = "torch.utils.data."
TENSORS = f"{DATA}dataset.TensorDataset"
SUBSET = f"{DATA}dataset.Subset"
DATASETS = (TENSORS, SUBSET, f"{DATA}dataset.ConcatDataset")


class DataLoaderKind:
    """`DataLoader batch 64 shuffled 2 workers of TensorDataset 1437`."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, f"{DATA}dataloader.DataLoader")

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        own = raw.attributes(value)
        words = [raw.class_name(type(value))]
        if own.get("batch_size") is not None:
            words += ["batch", str(own["batch_size"])]
        sampler = raw.class_name(type(own.get("sampler")))
        if sampler == "RandomSampler":
            words.append("shuffled")
        elif sampler not in ("SequentialSampler", "NoneType", "_InfiniteConstantSampler"):
            words.append(sampler)
        if own.get("num_workers"):
            words.append(f"{own['num_workers']} workers")
        words += [name for name in ("drop_last", "pin_memory") if own.get(name)]
        if "dataset" in own:
            words += ["of", dataset_line(own["dataset"])]
        return present(" ".join(words), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        return [*own_rows(value), all_attributes(value)]


class DatasetKind:
    """The datasets of torch itself; others keep their own repr."""

    presentation_kind: PresentationKind = "other"

    def matches(self, cls: type) -> bool:
        return raw.is_a(cls, *DATASETS)

    def scan(self, value: Any) -> None:
        return None

    def present(self, value: Any, scan: None) -> Presentation:
        return present(dataset_line(value, with_items=True), self.presentation_kind)

    def children(self, value: Any) -> list[Child]:
        return [*own_rows(value), all_attributes(value)]


def dataset_line(dataset: Any, *, with_items: bool = False) -> str:
    """Class, length where it is stored, and for TensorDataset what its tensors are."""
    cls, own = type(dataset), raw.attributes(dataset)
    name = raw.class_name(cls)
    if raw.is_a(cls, TENSORS) and isinstance(own.get("tensors"), tuple):
        tensors = own["tensors"]
        length = tensor_facts(tensors[0]).shape[:1] if tensors else ()
        items = f" of {shorthand(tensors)}" if with_items else ""
        return f"{name} {length[0] if length else '?'}{items}"
    if raw.is_a(cls, SUBSET):
        of = f" of {dataset_line(own['dataset'])}" if "dataset" in own else ""
        return f"{name} {stored_length(own.get('indices'))}{of}"
    if raw.is_a(cls, DATASETS[-1]) and isinstance(own.get("datasets"), list):
        sizes = own.get("cumulative_sizes") or ["?"]
        return f"{name} {sizes[-1]} of {len(own['datasets'])} datasets"
    if reach.is_container(cls):
        return f"{name} {reach.size(dataset)}"
    return name


def stored_length(indices: Any) -> str:
    if isinstance(indices, (range, str)):
        return str(len(indices))
    if raw.is_a(type(indices), "torch.Tensor"):
        return str(tensor_facts(indices).size)
    if reach.is_container(type(indices)):
        return str(reach.size(indices))
    return "?"
