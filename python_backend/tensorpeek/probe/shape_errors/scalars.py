"""Several numbers where one is wanted, and weights, gradients and lists of other shapes than expected."""

from __future__ import annotations

import ast
import re

from tensorpeek.probe.shape_errors.explanation import Explanation, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.operands import parts, receiver
from tensorpeek.probe.training import source
from tensorpeek.probe.training.places import Place
from tensorpeek.probe.training.report import Related

LOADED = re.compile(
    r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\(\[([\d, ]*)\]\) from checkpoint, "
    r"the shape in current model is torch\.Size\(\[([\d, ]*)\]\)"
)
GRADIENT = re.compile(
    r"Function (\w+?)Backward\d* returned an invalid gradient at index (\d+) - got \[([\d, ]*)\] "
    r"but expected shape compatible with \[([\d, ]*)\]"
)
ROWS = re.compile(r"expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)")
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


def explain_gradient(found: Failing) -> Explanation | None:
    """Of a Function whose backward returns another shape than its input has."""
    match = GRADIENT.search(found.text)
    if match is None:
        return None
    name, place = match[1], None
    for path in {place.path for _, place in found.frames}:
        tree = source.tree_of(path)
        for node in ast.walk(tree) if tree is not None else ():
            if (
                isinstance(node, ast.FunctionDef)
                and node.name == "backward"
                and _class_of(tree, node) == name
            ):
                place = Place(path, node.lineno, "backward")
    return Explanation(
        "Gradient of a wrong shape",
        f"backward() of `{name}` returns a gradient [{match[3]}] for its input {match[2]}, which has shape "
        f"[{match[4]}].",
        ["A gradient has the shape of its input: sum over what was broadcast, and keep everything else."],
        related=[Related(place, f"backward() of `{name}` is here")] if place is not None else [],
    )


def _class_of(tree: ast.AST | None, function: ast.FunctionDef) -> str:
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and function in node.body:
            return node.name
    return ""


def explain_rows(found: Failing) -> Explanation | None:
    """A list of lists of different lengths that is to be a tensor."""
    match = ROWS.search(found.text)
    if match is None or found.library:
        return None
    return Explanation(
        "Rows of different lengths",
        f"A tensor is made of rows of one length, but the list has {match[1]} in dimension {match[2]}, and "
        f"elsewhere {match[3]}.",
        ["torch.nn.utils.rnn.pad_sequence for sequences of different lengths"],
    )


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
