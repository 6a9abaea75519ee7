"""Floating-point operations of an op: two per multiplication that is added, as is usual. Others are 0."""

from __future__ import annotations

from typing import Any, Callable, Optional

Shape = tuple[int, ...]
Shapes = list[Optional[Shape]]
"""Of an op's arguments in their order, None for what is no tensor."""


def flops_of(name: str, shapes: Shapes, arguments: tuple[Any, ...], output: Shape | None) -> int:
    """`name` as `mm`, `_scaled_dot_product_flash_attention_for_cpu`; 0 where a size is not known."""
    formula = _attention if name.startswith("_scaled_dot_product") else _FORMULAS.get(name)
    if (
        formula is None
        or output is None
        or any(shape is not None and -1 in shape for shape in [*shapes, output])
    ):
        return 0
    return formula(shapes, arguments, output)


def product(shape: Shape) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _inner(position: int) -> Callable[[Shapes, tuple[Any, ...], Shape], int]:
    """Each element of the output is a sum over the last dim of one of the arguments."""

    def formula(shapes: Shapes, arguments: tuple[Any, ...], output: Shape) -> int:
        left = shapes[position]
        return 2 * product(output) * left[-1] if left else 0

    return formula


def _convolution(shapes: Shapes, arguments: tuple[Any, ...], output: Shape) -> int:
    image, weight = shapes[0], shapes[1]
    if image is None or weight is None:
        return 0
    is_transposed = len(arguments) > 6 and arguments[6] is True
    # A weight is of out × in ÷ groups × kernel; transposed, it is put at each place of the input.
    places = product(image if is_transposed else output)
    return 2 * places * product(weight[1:])


def _attention(shapes: Shapes, arguments: tuple[Any, ...], output: Shape) -> int:
    query, key, value = shapes[:3]
    if query is None or key is None or value is None:
        return 0
    pairs = product(query[:-1]) * key[-2]
    return 2 * pairs * (query[-1] + value[-1])


def _recurrent_layer(shapes: Shapes, arguments: tuple[Any, ...], output: Shape) -> int:
    """One layer in one direction: each step multiplies by the weights of the input and of the state."""
    inputs, of_input, of_state = shapes[:3]
    if inputs is None or of_input is None or of_state is None:
        return 0
    return 2 * product(inputs[:-1]) * (product(of_input) + product(of_state))


def _recurrent(shapes: Shapes, arguments: tuple[Any, ...], output: Shape) -> int:
    """All layers and directions, whose weights are in a list with their biases."""
    weights = [tuple(int(size) for size in weight.shape) for weight in arguments[1]]
    steps = product(shapes[0][:-1]) if shapes[0] else 0
    return 2 * steps * sum(product(weight) for weight in weights if len(weight) == 2)


_FORMULAS: dict[str, Callable[[Shapes, tuple[Any, ...], Shape], int]] = {
    "mm": _inner(0),
    "bmm": _inner(0),
    "linear": _inner(0),
    "addmm": _inner(1),
    "baddbmm": _inner(1),
    "mv": _inner(0),
    "addmv": _inner(1),
    "dot": _inner(0),
    "_int_mm": _inner(0),
    "_scaled_mm": _inner(0),
    "convolution": _convolution,
    "mkldnn_rnn_layer": _recurrent_layer,
    "_cudnn_rnn": _recurrent,
    "miopen_rnn": _recurrent,
}
