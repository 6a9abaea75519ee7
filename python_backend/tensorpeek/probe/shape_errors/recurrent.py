"""Recurrent layers: features and time exchanged, a hidden state of another batch."""

from __future__ import annotations

import re

from tensorpeek.probe.shape_errors.batches import Sizes, smaller_batch
from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import input_of, name_of
from tensorpeek.probe.training.user_values import is_tensor

INPUT = re.compile(r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)")
CELL_INPUT = re.compile(r"input has inconsistent input_size: got (\d+),? expected (\d+)")
HIDDEN = re.compile(r"Expected hidden(?:\[\d\])? size \(([\d, ]+)\), got [\[(]([\d, ]+)[\])]")
CELL = re.compile(r"Input batch size (\d+) doesn't match hidden\d? batch size (\d+)")


def explain(found: Failing, sizes: Sizes) -> Explanation | None:
    module = found.module
    given = found.given("forward", "input", "hx")
    if module is None or given is None or not is_tensor(given[0]):
        return None
    layer = described(found, module)
    x = input_of(found, given[0])
    related = at_line(found, module)
    match = INPUT.search(found.text) or CELL_INPUT.search(found.text)
    if match:
        wanted = int(vars(module)["input_size"])
        message = f"{layer} takes {wanted} features in the last dimension, but {x.named} has {x.shape[-1]}."
        advice: list[str] = []
        if wanted in x.shape[:-1]:
            position = x.shape.index(wanted)
            message += f" Dimension {position} has {wanted}: time and features may be exchanged."
            advice.append(attached(x.text, f".transpose({position}, {len(x.shape) - 1})"))
        advice += fixed_layer(found, module, "input_size", x.shape[-1]) if not advice else []
        return Explanation("Recurrent layer: wrong size", message, advice, [x], related=related)
    match = HIDDEN.search(found.text) or CELL.search(found.text)
    if match:
        return _hidden(found, sizes, layer, x, given[1])
    if re.search(r"(Expected input to be|should be batched|be 2-?D or 3-?D|hx should also be)", found.text):
        hidden = _hidden_operand(found, given[1])
        said = f" and {hidden.named}" if hidden is not None else ""
        message = f"{layer} gets {x.named}{said}: {found.text.strip().rstrip('.')}."
        return Explanation("Wrong number of dimensions", message, [], [x], related=related)
    return None


def _hidden(found: Failing, sizes: Sizes, layer: str, x: Operand, hx: object) -> Explanation:
    hidden = _hidden_operand(found, hx)
    module = found.module
    position = 0 if vars(module).get("batch_first") or "Cell" in type(module).__name__ else 1
    batch = x.shape[position] if len(x.shape) > 1 else 1
    said = hidden.named if hidden is not None else "the hidden state"
    message = (
        f"{layer} gets a batch of {batch} in {x.named}, but the hidden state {said} is for another size."
    )
    own = hidden.shape[-2] if hidden is not None and len(hidden.shape) > 1 else 0
    advice: list[str] = []
    other = x.shape[1 - position] if len(x.shape) == 3 else 0
    small = smaller_batch(found, sizes, batch) if own > batch else None
    if small is not None:
        message += f" {small[0]}"
        size = "x.size(0)" if not x.text.isidentifier() else f"{x.text}.size({position})"
        advice += [
            f"Make the state of the batch's own size, with {size}, or leave it away.",
            f"or {small[1]}",
        ]
    elif own == other and own:
        message += f" It has {own}, which is dimension {1 - position} of the input."
        first = "without batch_first=True" if position == 1 else "with batch_first=True"
        advice.append(f"The layer was made {first}: dimension {position} is the batch for it.")
    else:
        advice.append(
            "The state is [layers × directions, batch, hidden_size]; without one the layer begins with zeros."
        )
    operands = [x, *([hidden] if hidden is not None else [])]
    return Explanation("Hidden state of a wrong size", message, advice, operands)


def _hidden_operand(found: Failing, hx: object) -> Operand | None:
    states = [hx, *(hx if type(hx) is tuple else ())]
    tensor = next((each for each in states if is_tensor(each)), None)
    return Operand(name_of(found, tensor) or "hx", tensor) if tensor is not None else None
