"""Tensors of several numbers where one is wanted, and weights of a file that have other shapes."""

from __future__ import annotations

import re

from tensorpeek.probe.shape_errors.explanation import Explanation, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.operands import parts, receiver

LOADED = re.compile(
    r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\(\[([\d, ]*)\]\) from checkpoint, "
    r"the shape in current model is torch\.Size\(\[([\d, ]*)\]\)"
)
MOST = 12


def explain(found: Failing) -> Explanation | None:
    text = found.text
    x = receiver(found)
    if "grad can be implicitly created only for scalar outputs" in text:
        what = x.named if x is not None else "The tensor"
        message = (
            f"backward() needs one number, but {what} has {'several' if x is None else x.value.numel()}."
        )
        name = x.text if x is not None else "loss"
        return Explanation(
            "Loss of several numbers",
            message,
            [f"{attached(name, '.mean().backward()')}", "or a loss without reduction='none'"],
            [x] if x is not None else [],
        )
    match = re.search(r"a Tensor with (\d+) elements cannot be converted to Scalar", text)
    if match or "only one element tensors can be converted" in text:
        x = x or next(iter(parts(found)), None)
        what = x.named if x is not None else "the tensor"
        message = f"{what} has several numbers, and can't be one Python number."
        name = x.text if x is not None else "x"
        return Explanation(
            "Tensor of several numbers",
            message,
            [attached(name, ".mean().item()") + ", or tolist() for all of them"],
            [x] if x is not None else [],
        )
    if re.search(r"Boolean value of Tensor with (more than one|no) values? is ambiguous", text):
        operands = parts(found)
        said = f" ({', '.join(each.named for each in operands[:3])})" if operands else ""
        return Explanation(
            "Truth of several numbers",
            f"A tensor of several numbers is neither true nor false{said}.",
            ["(…).any() or (…).all(); & and | instead of `and` and `or`"],
            operands,
        )
    return _loaded(found)


def _loaded(found: Failing) -> Explanation | None:
    rows = LOADED.findall(found.text)
    if not rows:
        return None
    name, saved, own = rows[0]
    message = f"The file has other shapes than the model: `{name}` is [{saved}] there, [{own}] in the model"
    message += f"; {len(rows)} parameters differ." if len(rows) > 1 else "."
    sizes, wanted = saved.split(", "), own.split(", ")
    advice = ["Make the model with the sizes that the file was trained with,"]
    if len(sizes) == len(wanted) and sizes[1:] == wanted[1:]:
        message += " Only the first dimension differs, as of another number of classes or words."
        layer = name.rpartition(".")[0]
        advice.append(f"or leave out `{layer}.*` of the state, and load the rest with strict=False.")
    else:
        advice.append("or load only what fits, with strict=False after leaving out the rest.")
    evidence = [f"{each}: [{a}] in the file, [{b}] in the model" for each, a, b in rows[:MOST]]
    return Explanation("Weights of other shapes", message, advice, [], evidence)
