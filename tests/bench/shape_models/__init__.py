"""Twelve models of a few hundred to a few thousand parameters, each with an input: `MODELS[name](batch)`.

They differ in how their forward passes are written, which is what a trace of shapes has to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from . import (
    attention_unet,
    bert_classifier,
    cached_gpt,
    detector,
    einsum_attention,
    experts,
    graph_network,
    perceptron,
    residual,
    tagger,
    unet,
    vision_transformer,
)

Example = tuple[nn.Module, tuple[Any, ...]]
"""A model and the arguments of a call."""

MODELS: Mapping[str, Callable[[int], Example]] = {
    "MLP": perceptron.example,
    "ResNet": residual.example,
    "U-Net": unet.example,
    "RNN tagger": tagger.example,
    "einops attention": einsum_attention.example,
    "BERT classifier": bert_classifier.example,
    "ViT": vision_transformer.example,
    "GPT with cache": cached_gpt.example,
    "U-Net with attention": attention_unet.example,
    "graph network": graph_network.example,
    "detection head": detector.example,
    "mixture of experts": experts.example,
}
