"""Convolutions and poolings: channels at another place, dimensions that are missing, images too small."""

from __future__ import annotations

import re
from typing import Any

from tensorpeek.probe.shape_errors.explanation import Explanation, Operand, attached, product
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import input_of, parts
from tensorpeek.probe.training.user_values import is_tensor

CHANNELS = re.compile(r"Given (groups|transposed)=\d+, weight of size \[([\d, ]+)\]")
DIMENSIONS = re.compile(r"\(unbatched\) or \dD \(batched\) input to (conv\w+)")
TOO_SMALL = re.compile(
    r"Kernel size can't be greater than actual input size|Output size is too small"
    r"|Padding size should be less than the corresponding input dimension"
)
POOLED = re.compile(r"Expected .*\b\dD?\b.*(batch mode|tensor expected for input)|non-empty \dD or \dD")
AXES = {1: "L", 2: "H, W", 3: "D, H, W"}


def explain(found: Failing) -> Explanation | None:
    text = found.text
    if TOO_SMALL.search(text):
        return _too_small(found)
    if not CHANNELS.search(text) and not DIMENSIONS.search(text):
        return _pool_dimensions(found) if POOLED.search(text) else None
    x, weight, layer, channels = _taken(found)
    if x is None:
        return None
    spatial = weight - 2
    wanted = f"[N, {channels}, {AXES.get(spatial, '…')}]"
    shape = x.shape
    message = f"{layer} takes {wanted}, but {x.named} "
    advice: list[str] = []
    if len(shape) == spatial + 2:
        message += f"has {shape[1]} in the channels' place (dimension 1)."
        more, advice = _channels(x, spatial, channels)
        message += more
        if (not advice and found.module is not None) or (
            channels in (1, 3) and shape[1] in (1, 3, 4) and found.module is not None
        ):
            advice += fixed_layer(found, found.module, "in_channels", shape[1])
    elif len(shape) == spatial + 1:
        message += f"has {len(shape)} dimensions: it is taken for one sample [C, {AXES.get(spatial, '…')}]"
        message += f" with {shape[0]} channels."
        if channels == 1:
            message += f" Dimension 0 is the batch of {shape[0]}; the dimension of the channels is missing."
            advice.append(attached(x.text, ".unsqueeze(1)"))
        elif shape[-1] == channels:
            order = ", ".join(map(str, [spatial, *range(spatial)]))
            message += f" Its last dimension is {channels}: it is channels-last."
            advice.append(attached(x.text, f".permute({order})"))
        elif spatial == 1 and len(shape) == 2:
            advice.append(f"{attached(x.text, '.unsqueeze(0)')} for a batch of one, or transpose(0, 1)")
    else:
        message += f"has {len(shape)} dimension{'' if len(shape) == 1 else 's'}."
        advice += _dimensions(x, spatial, channels)
    related = at_line(found, found.module) if found.module is not None else []
    return Explanation("Convolution gets a wrong shape", message, advice, [x], related=related)


def _taken(found: Failing) -> tuple[Operand | None, int, str, int]:
    """Input, dimensions of the weight, name of the layer, channels that it takes."""
    module = found.module
    if module is not None and "in_channels" in vars(module):
        given = found.given("forward", "input")
        if given is not None and is_tensor(given[0]):
            layer = described(found, module)
            return input_of(found, given[0]), int(module.weight.dim()), layer, int(module.in_channels)
    operands = parts(found)
    if len(operands) < 2 or "transpose" in found.called():
        return None, 0, "", 0
    x, weight = operands[:2]
    match = re.search(r"groups=(\d+)", found.text)
    return (
        x,
        len(weight.shape),
        f"`{found.called()}` with {weight.named}",
        weight.shape[1] * int(match[1] if match else 1),
    )


def _channels(x: Operand, spatial: int, channels: int) -> tuple[str, list[str]]:
    shape = x.shape
    last = len(shape) - 1
    if shape[-1] == channels:
        if spatial == 1:
            return f" Its last dimension has {channels}: it is [N, L, C].", [
                attached(x.text, ".transpose(1, 2)")
            ]
        order = ", ".join(map(str, [0, last, *range(1, last)]))
        return (
            f" Its last dimension has {channels}: it looks channels-last.",
            [attached(x.text, f".permute({order})")],
        )
    if channels in shape[:1] and shape[0] != shape[1]:
        return (
            f" Its first dimension has {channels}: batch and channels may be exchanged.",
            [attached(x.text, ".transpose(0, 1)")],
        )
    if channels in shape[2:]:
        position = shape.index(channels, 2)
        return f" Dimension {position} has {channels}.", [attached(x.text, f".transpose(1, {position})")]
    if channels == 3 and shape[1] == 1:
        return " It is grey, the layer takes colours.", [
            f"{attached(x.text, '.repeat(1, 3, 1, 1)')} for grey as RGB"
        ]
    if channels == 1 and shape[1] == 3:
        return " It has colours, the layer takes grey.", [
            f"{attached(x.text, '.mean(1, keepdim=True)')} for grey"
        ]
    if channels == 3 and shape[1] == 4:
        return " It has a fourth channel, as of transparency.", [f"{attached(x.text, '[:, :3]')} without it"]
    return "", []


def _dimensions(x: Operand, spatial: int, channels: int) -> list[str]:
    shape = x.shape
    if len(shape) == spatial and spatial > 1 and shape and shape[-1] % channels == 0:
        side = round((shape[-1] / channels) ** (1 / spatial))
        if len(shape) == 2 and channels * side**spatial == shape[-1]:
            sizes = ", ".join([str(channels), *[str(side)] * spatial])
            return [f"{attached(x.text, f'.view(-1, {sizes})')} if it is flattened"]
    if len(shape) == spatial:
        return [f"{attached(x.text, '[None, None]')} for a batch of one with one channel"]
    if len(shape) == spatial + 3:
        if shape[2] == channels:
            return [f"{attached(x.text, '.flatten(0, 1)')} if dimension 1 is time or crops"]
        if shape[1] == 1:
            return [attached(x.text, ".squeeze(1)")]
        return [f"Bring {x.text} to {spatial + 2} dimensions: flatten(0, 1) for frames or crops."]
    return []


def _too_small(found: Failing) -> Explanation:
    module = found.module
    given = found.given("forward", "input") if module is not None else None
    layer = described(found, module) if module is not None else f"`{found.called() or 'the operation'}`"
    x: Operand | None = None
    if given is not None and is_tensor(given[0]):
        x = input_of(found, given[0])
    else:
        operands = parts(found)
        x = operands[0] if operands else None
    kernel = _kernel(module)
    has = f"{x.named} is too small for it" if x is not None else "its input is too small"
    message = f"{layer}{f' has a kernel of {kernel}' if kernel else ''}, but {has}: {_said(found.text)}"
    return Explanation(
        "Image too small for the kernel",
        message,
        [
            "Larger images, or fewer poolings and strides before this layer.",
            "padding='same' keeps the size in convolutions without stride.",
        ],
        [x] if x is not None else [],
        related=at_line(found, module) if module is not None else [],
    )


def _kernel(module: Any) -> str:
    size = vars(module).get("kernel_size") if module is not None else None
    if type(size) is int:
        return str(size)
    return " × ".join(map(str, size)) if type(size) is tuple and product(size) > 0 else ""


def _said(text: str) -> str:
    first = text.partition("\n")[0].strip()
    return first if first.endswith(".") else f"{first}."


def _pool_dimensions(found: Failing) -> Explanation | None:
    module = found.module
    given = found.given("forward", "input")
    if given is None or not is_tensor(given[0]) or module is None:
        operands = parts(found)
        if not operands:
            return None
        x, layer = operands[0], f"`{found.called()}`"
    else:
        layer = described(found, module)
        x = input_of(found, given[0])
    return Explanation(
        "Wrong number of dimensions",
        f"{layer} can't take {x.named} with {len(x.shape)} dimensions: {_said(found.text)}",
        ["Check what flattened it, or added a dimension."],
        [x],
    )
