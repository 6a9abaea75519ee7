"""Healthy models that reshape, transpose and normalize in ways that look like a mistake."""

from __future__ import annotations

from collections.abc import Callable

import einops
import torch
import torch.nn.functional as F

Forward = Callable[[torch.Tensor], torch.Tensor]

B, T, H, D = 2, 6, 4, 8


def heads(x: torch.Tensor) -> torch.Tensor:
    q, k, v = x.view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, H * D)


def heads_by_hand(x: torch.Tensor) -> torch.Tensor:
    q, k, v = (part.view(B, T, H, D).transpose(1, 2) for part in x.chunk(3, dim=-1))
    scores = (q @ k.transpose(-2, -1)).softmax(-1)
    return (scores @ v).permute(0, 2, 1, 3).contiguous().view(B, T, -1)


def heads_in_the_batch(x: torch.Tensor) -> torch.Tensor:
    q, k, v = (part.view(B, T, H, D).transpose(1, 2).reshape(B * H, T, D) for part in x.chunk(3, dim=-1))
    mixed = torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v)
    return mixed.view(B, H, T, D).transpose(1, 2).reshape(B, T, H * D)


def time_first_heads(x: torch.Tensor) -> torch.Tensor:
    q, k, v = (part.transpose(0, 1).reshape(T, B * H, D).transpose(0, 1) for part in x.chunk(3, dim=-1))
    mixed = torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v)
    return mixed.transpose(0, 1).reshape(T, B, H * D).transpose(0, 1)


def einops_heads(x: torch.Tensor) -> torch.Tensor:
    q, k, v = einops.rearrange(x, "b t (n h d) -> n b h t d", n=3, h=H)
    return einops.rearrange(F.scaled_dot_product_attention(q, k, v), "b h t d -> b t (h d)")


def relative_shift(x: torch.Tensor) -> torch.Tensor:
    q, k, v = x.view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(-2, -1)
    padded = torch.cat([scores.new_zeros(B, H, T, 1), scores], -1)
    shifted = padded.view(B, H, T + 1, T)[:, :, 1:]
    return ((scores + shifted).softmax(-1) @ v).transpose(1, 2).reshape(B, T, H * D)


def shift_of_xlnet(x: torch.Tensor) -> torch.Tensor:
    q, k, v = x.view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
    keys = torch.cat([k, k[:, :, :3]], 2)
    scores = torch.einsum("bnid,bnjd->bnij", q, keys)
    shifted = scores.reshape(B, H, T + 3, T)[:, :, 1:, :].reshape(B, H, T, T + 2)[..., :T]
    return (shifted.softmax(-1) @ v).transpose(1, 2).reshape(B, T, H * D)


def merged_pairs(x: torch.Tensor) -> torch.Tensor:
    """Two frames become one, as in a pyramid of recurrent networks."""
    return F.relu(x).reshape(B, T // 2, -1).mean(1, keepdim=True)


def pairs_that_look_transposed(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x[..., :4]).reshape(B, 4, T).reshape(B, 3, 8)


def pooled(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(1, 2).reshape(B, -1, 2, T // 2).mean(-1).reshape(B, -1)


def mixer(x: torch.Tensor) -> torch.Tensor:
    return x + F.gelu(x.transpose(1, 2)).transpose(1, 2)


SEQUENCES: tuple[Forward, ...] = (
    heads,
    heads_by_hand,
    heads_in_the_batch,
    time_first_heads,
    einops_heads,
    relative_shift,
    shift_of_xlnet,
    merged_pairs,
    pairs_that_look_transposed,
    pooled,
    mixer,
)
"""Of (B, T, 3·H·D)."""

C, S = 8, 4


def patches(x: torch.Tensor) -> torch.Tensor:
    return x.flatten(2).transpose(1, 2).reshape(B, S * S, C)


def single_shot_boxes(x: torch.Tensor) -> torch.Tensor:
    """As wide a map as a box has numbers."""
    return x.permute(0, 2, 3, 1).contiguous().view(B, -1, 4)


def boxes_of_anchors(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, 2, 4, S, S).permute(0, 1, 3, 4, 2).reshape(B, -1, 4)


def pixel_shuffle(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, 2, 2, 2, S, S).permute(0, 1, 4, 2, 5, 3).reshape(B, 2, 2 * S, 2 * S)


def space_to_depth(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, C, S // 2, 2, S // 2, 2).permute(0, 3, 5, 1, 2, 4).reshape(B, 4 * C, S // 2, S // 2)


def channel_shuffle(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, 4, 2, S, S).transpose(1, 2).reshape(B, C, S, S)


def windows(x: torch.Tensor) -> torch.Tensor:
    y = x.permute(0, 2, 3, 1).reshape(B, S // 2, 2, S // 2, 2, C)
    y = y.permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, C).softmax(1)
    y = y.view(B, S // 2, S // 2, 2, 2, C).permute(0, 1, 3, 2, 4, 5)
    return y.reshape(B, S, S, C)


def group_norm(x: torch.Tensor) -> torch.Tensor:
    y = x.view(B, 2, -1)
    return ((y - y.mean(-1, keepdim=True)) / y.std(-1, keepdim=True)).view(B, C, S, S)


def gram(x: torch.Tensor) -> torch.Tensor:
    y = x.reshape(B, C, -1)
    return y @ y.transpose(1, 2)


def spatial_attention(x: torch.Tensor) -> torch.Tensor:
    q = x.view(B, C, -1).permute(0, 2, 1)
    weights = torch.bmm(q, x.view(B, C, -1)).softmax(-1)
    return torch.bmm(x.view(B, C, -1), weights.permute(0, 2, 1)).view(B, C, S, S)


def capsules(x: torch.Tensor) -> torch.Tensor:
    return x.view(B, 2, 4, S, S).reshape(B, -1, 4)


def classifier(x: torch.Tensor) -> torch.Tensor:
    return x.view(x.size(0), -1)


def pixels_as_rows(x: torch.Tensor) -> torch.Tensor:
    return x.permute(0, 2, 3, 1).reshape(-1, C).log_softmax(-1)


def minibatch_deviation(x: torch.Tensor) -> torch.Tensor:
    y = x.view(2, -1, 1, C, S, S)
    return y.std(0, unbiased=False).mean([2, 3, 4], keepdim=True).squeeze(2).repeat(B, 1, S, S)


def clip_as_images(x: torch.Tensor) -> torch.Tensor:
    return x.view(1, B, C, S, S).transpose(1, 2).reshape(1, C, B, S, S)


def outer_sum(x: torch.Tensor) -> torch.Tensor:
    y = x.mean((2, 3)).reshape(-1)
    return (y[:, None] - y[None]).abs().view(B, C, B, C).transpose(1, 2)


IMAGES: tuple[Forward, ...] = (
    patches,
    single_shot_boxes,
    boxes_of_anchors,
    pixel_shuffle,
    space_to_depth,
    channel_shuffle,
    windows,
    group_norm,
    gram,
    spatial_attention,
    capsules,
    classifier,
    pixels_as_rows,
    minibatch_deviation,
    clip_as_images,
    outer_sum,
)
"""Of (B, C, S, S) that a convolution made."""


def last_states(states: torch.Tensor) -> torch.Tensor:
    return states.transpose(0, 1).reshape(states.size(1), -1)


def last_state(states: torch.Tensor) -> torch.Tensor:
    return states.view(2, 1, -1, 5)[-1].squeeze(0)


def states_as_rows(states: torch.Tensor) -> torch.Tensor:
    return states.reshape(-1, 5)


def joined_states(states: torch.Tensor) -> torch.Tensor:
    return torch.cat(list(states), 1).view(-1, 2, 5)


STATES: tuple[Forward, ...] = (last_states, last_state, states_as_rows, joined_states)
"""Of (layers, rows, 5), which a recurrent network gives as its last states."""


def embedded(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(1, 2).reshape(x.size(0), 4, 5)


def bag(x: torch.Tensor) -> torch.Tensor:
    return x.view(x.size(0), -1)


def two_grams(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:, :-1], x[:, 1:]], -1).view(x.size(0), -1, 2, 4)


EMBEDDED: tuple[Forward, ...] = (embedded, bag, two_grams)
"""Of (rows, 5, 4)."""
