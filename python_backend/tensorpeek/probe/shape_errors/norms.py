"""Normalizations: a batch of one, another number of features, features at another place."""

from __future__ import annotations

import re

from tensorpeek.probe.shape_errors.batches import Sizes, loader_of, smaller_batch
from tensorpeek.probe.shape_errors.explanation import Explanation, attached
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import input_of
from tensorpeek.probe.training.report import Related
from tensorpeek.probe.training.user_values import is_tensor

ONE_VALUE = "Expected more than 1 value per channel when training"
DIMENSIONS = re.compile(r"expected ([\dD or]+) input \(got (\d)D input\)")
LAYER_NORM = re.compile(r"Given normalized_shape=\[([\d, ]+)\]")


def explain(found: Failing, sizes: Sizes) -> Explanation | None:
    module, text = found.module, found.text
    given = found.given("forward", "input") or found.given("forward", "x")
    if module is None or given is None or not is_tensor(given[0]):
        return None
    layer, name = described(found, module), type(module).__name__
    x = input_of(found, given[0])
    shape = x.shape
    related = at_line(found, module)
    if ONE_VALUE in text:
        return _one_value(found, sizes, layer, x.named, shape)
    match = DIMENSIONS.search(text)
    if match:
        other = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}.get(len(shape))
        advice = [f"nn.{name[:-2]}{other}"] if other and name[-1] == "d" else []
        if name.endswith("2d") and len(shape) == 3:
            advice = ["unsqueeze(0) for a sample without a batch", *advice]
        message = f"{layer} takes {match[1].strip()} input, but {x.named} has {len(shape)} dimensions."
        if name.startswith("Instance"):
            message = message.replace(" input,", ",")
        return Explanation("Wrong number of dimensions", message, advice, [x], related=related)
    match = re.search(
        r"(?:running_mean|running_var|weight|bias) should contain (\d+) elements? not (\d+)", text
    )
    if match:
        own = int(match[2])
        message = f"{layer} has {own} features, but {x.named} has {match[1]} in dimension 1."
        if own in shape[2:]:
            position = shape.index(own, 2)
            message += f" Dimension {position} has {own}."
            advice = [attached(x.text, f".transpose(1, {position})")]
        else:
            advice = fixed_layer(found, module, "num_features", int(match[1]))
        return Explanation("Normalization of a wrong size", message, advice, [x], related=related)
    match = LAYER_NORM.search(text)
    if match:
        own_shape = [int(size) for size in match[1].split(",")]
        message = f"{layer} takes [*, {match[1]}], but {x.named} ends with {shape[-len(own_shape) :]}."
        if len(own_shape) == 1 and own_shape[0] in shape[1:-1]:
            position = shape.index(own_shape[0], 1)
            message += f" Dimension {position} has {own_shape[0]}: LayerNorm wants it last."
            order = [each for each in range(len(shape)) if each != position] + [position]
            advice = [attached(x.text, f".permute({', '.join(map(str, order))})")]
        else:
            advice = fixed_layer(found, module, "normalized_shape", shape[-1]) if len(own_shape) == 1 else []
        return Explanation("Normalization of a wrong size", message, advice, [x], related=related)
    if "Expected weight to be a vector of size equal to the number of channels" in text or (
        "number of channels in input to be divisible by num_groups" in text
    ):
        own = vars(module).get("num_channels", vars(module).get("num_features", 0))
        message = f"{layer} has {own} channels, but {x.named} has {shape[1]} in dimension 1."
        what = "num_channels" if "num_channels" in vars(module) else "num_features"
        return Explanation(
            "Normalization of a wrong size",
            message,
            fixed_layer(found, module, what, shape[1]),
            [x],
            related=related,
        )
    return None


def _one_value(found: Failing, sizes: Sizes, layer: str, x: str, shape: list[int]) -> Explanation:
    message = (
        f"{layer} in training mode needs more than one value per feature, but {x} has a batch of {shape[0]}."
    )
    advice: list[str] = []
    small = smaller_batch(found, sizes, shape[0])
    if small is not None:
        message += f" {small[0]}"
        usual = sizes.before(shape[0])
        if usual is not None and usual[0] > shape[0] and str(usual[0]) not in small[0]:
            message += f" The batches before had {usual[0]} (steps {usual[1]}–{usual[2]})."
        advice.append(small[1])
        advice.append("Another batch_size that leaves no single row.")
    elif shape[0] == 1:
        loader = loader_of(found)
        if loader is not None and loader.batch_size == 1:
            message += f" `{loader.name}` has batch_size=1."
        advice.append("net.eval() to use a trained model on one sample.")
        advice.append("To train with batches of one: GroupNorm or LayerNorm, or a larger batch.")
    loader = loader_of(found)
    place = loader.place if loader is not None else None
    return Explanation(
        "Batch of one in BatchNorm",
        message,
        advice,
        related=[Related(place, "the batches are made here")] if place is not None else [],
    )
