"""What joins tensors by a plan of its own: einsum's equation, attention's queries, keys and masks."""

from __future__ import annotations

import re
from typing import Any

from tensorpeek.probe.shape_errors.evaluate import empty
from tensorpeek.probe.shape_errors.explanation import NAMELESS, Explanation, Operand, numbers
from tensorpeek.probe.shape_errors.failing import Failing
from tensorpeek.probe.shape_errors.joining import aligned
from tensorpeek.probe.shape_errors.layer_words import at_line, described, fixed_layer
from tensorpeek.probe.shape_errors.operands import argument, name_of, parts, short, tensors_of
from tensorpeek.probe.training.user_values import is_tensor

WIDTH = re.compile(r"expecting embedding dimension of (\d+), but got (\d+)")
MASK = re.compile(r"shape of the \dD attn_mask is torch\.Size\(\[([\d, ]+)\]\), but should be \(([\d, ]+)\)")
SEVERAL = re.compile(r"subscript (\w) has size (\d+) for operand (\d+).* seen size (\d+)")
LETTERS = re.compile(
    r"number of subscripts in the equation \((\d+)\).* dimensions \((\d+)\) for operand (\d+)"
)
POSITIONS = {"query": 0, "key": 1, "key_padding_mask": 3, "attn_mask": 5}
"""Of the arguments of MultiheadAttention."""


def explain_einsum(found: Failing) -> Explanation | None:
    if "einsum(" not in found.text:
        return None
    operands = parts(found)
    said = " and ".join(each.named for each in operands[:4])
    match = SEVERAL.search(found.text)
    if match:
        which = _operand(operands, int(match[3]))
        message = f"einsum: `{match[1]}` is {match[2]} in {which}, but {match[4]} in an operand before it."
        return Explanation("Subscript of two sizes", f"{message} Operands: {said}.", [], operands)
    match = LETTERS.search(found.text)
    if match:
        which = _operand(operands, int(match[3]))
        message = f"einsum: the equation has {match[1]} letters for {which}, which has {match[2]} dimensions."
        return Explanation("Wrong number of dimensions", message, [], operands)
    return Explanation("Operands do not fit", f"einsum can't join {said}.", [], operands) if said else None


def _operand(operands: list[Operand], position: int) -> str:
    return operands[position].named if position < len(operands) else f"operand {position}"


def explain_scaled(found: Failing) -> Explanation | None:
    """The mask of scaled_dot_product_attention, which has to fit the scores."""
    if found.called() != "scaled_dot_product_attention":
        return None
    names = ("query", "key", "value", "attn_mask")
    nodes = [argument(found, position, name) for position, name in enumerate(names)]
    given = [tensors_of(found, node) if node is not None else [] for node in nodes]
    if not given[0] or not given[1] or not given[3] or nodes[3] is None:
        return None
    query, key = given[0][0], given[1][0]
    mask = Operand(short(nodes[3]), given[3][0])
    scores = [*map(int, query.shape[:-1]), int(key.shape[-2])]
    if query.shape[-1] != key.shape[-1]:
        return None
    return Explanation(
        "Mask of a wrong shape",
        f"The scores are {scores}, as […, queries, keys]; {mask.named} can't be broadcast to them.",
        aligned(Operand("scores", empty(scores)), mask),
        [mask],
    )


def explain_attention(found: Failing) -> Explanation | None:
    """Of MultiheadAttention and what is built on it, whose checks raise AssertionError or RuntimeError."""
    module = next((each for each in reversed(found.modules()) if "embed_dim" in vars(each)), None)
    if module is None:
        return None
    layer = described(found, module)
    match = WIDTH.search(found.text)
    if match:
        x = _given(found, module, "query")
        said = f"{x.named}" if x is not None else NAMELESS
        return Explanation(
            "Attention gets a wrong size",
            f"{layer} takes {match[1]} features (embed_dim), but {said} has {match[2]}.",
            fixed_layer(found, module, "embed_dim", int(match[2])),
            [x] if x is not None else [],
            related=at_line(found, module),
        )
    match = MASK.search(found.text)
    if match:
        return _mask(found, module, layer, numbers(match[1]), numbers(match[2]))
    if "key_padding_mask" in found.text or "key_padded_mask" in found.text:
        x = _given(found, module, "key_padding_mask")
        said = x.named if x is not None else "key_padding_mask"
        return Explanation(
            "Mask of a wrong shape",
            f"{layer}: {said} has to be [batch, keys]. {found.text.strip().rstrip('.')}.",
            ["Check batch_first: without it the layer takes [length, batch, features]."],
            [x] if x is not None else [],
        )
    own = vars(module)
    if "divisible by num_heads" in found.text and type(own.get("num_heads")) is int:
        size, heads = own["embed_dim"], own["num_heads"]
        return Explanation(
            "Heads of no whole size",
            f"{layer}: {size} features (embed_dim) can't be shared among {heads} heads: {size} % {heads} = "
            f"{size % heads}.",
            [f"A number of heads that divides {size}, or embed_dim={(size // heads + 1) * heads}."],
        )
    return None


def _mask(found: Failing, module: Any, layer: str, mask: list[int], wanted: list[int]) -> Explanation:
    x = _given(found, module, "attn_mask")
    query = _given(found, module, "query")
    shape = query.shape if query is not None else []
    batch = shape[0 if vars(module).get("batch_first") else 1] if len(shape) == 3 else -1
    advice = [f"attn_mask has one row per query and one column per key: {wanted}"]
    if mask == [batch, wanted[-1]]:
        advice = ["A mask of [batch, keys] is key_padding_mask, not attn_mask."]
    text = x.text if x is not None else "attn_mask"
    return Explanation(
        "Mask of a wrong shape",
        f"{layer}: `{text}` is {mask}, but has to be {wanted}.",
        advice,
        [x] if x is not None else [],
    )


def _given(found: Failing, module: Any, name: str) -> Operand | None:
    """What the attention was called with; its own code has turned and converted it since."""
    node = argument(found, POSITIONS[name], name)
    if found.modules() == [module] and node is not None:
        return next((Operand(short(node), each) for each in tensors_of(found, node)), None)
    given = found.given("forward", name)
    if given is None or not is_tensor(given[0]):
        return None
    value = given[0]
    own = name_of(found, value)
    if not own and name == "query" and vars(module).get("batch_first") and value.dim() == 3:
        value = value.transpose(0, 1)
    return Operand(own or (NAMELESS if name == "query" else name), value)
