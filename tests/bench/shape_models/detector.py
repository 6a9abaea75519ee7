"""Boxes of a grid of anchors: how many are left of each image, the data decide."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def overlaps(left: Tensor, right: Tensor) -> Tensor:
    """Intersection over union of each with each."""
    low = torch.maximum(left[:, None, :2], right[None, :, :2])
    high = torch.minimum(left[:, None, 2:], right[None, :, 2:])
    shared = (high - low).clamp_(min=0).prod(dim=-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(dim=-1) for boxes in (left, right)]
    return shared / (areas[0][:, None] + areas[1][None] - shared)


def without_overlaps(boxes: Tensor, scores: Tensor, most: float = 0.5) -> Tensor:
    """The rows that stay, the best first."""
    order = scores.argsort(descending=True)
    kept: list[Tensor] = []
    while len(order) > 0:
        best, order = order[0], order[1:]
        kept.append(best)
        shared = overlaps(boxes[best][None], boxes[order])[0]
        order = order[shared <= most]
    return torch.stack(kept) if kept else order


class Detector(nn.Module):
    def __init__(self, width: int = 6, anchors: int = 3) -> None:
        super().__init__()
        self.anchors = anchors
        self.features = nn.Sequential(nn.Conv2d(3, width, 3, stride=4, padding=1), nn.ReLU())
        self.places = nn.Conv2d(width, 4 * anchors, 1)
        self.scores = nn.Conv2d(width, anchors, 1)

    def grid(self, features: Tensor) -> Tensor:
        height, width = features.shape[-2:]
        y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        return torch.stack((x, y), dim=-1).reshape(-1, 1, 2).expand(-1, self.anchors, 2).flatten(0, 1)

    def forward(self, images: Tensor) -> list[dict[str, Tensor]]:
        features = self.features(images)
        moves = self.places(features).permute(0, 2, 3, 1).reshape(images.shape[0], -1, 4)
        scores = self.scores(features).permute(0, 2, 3, 1).flatten(1).sigmoid()
        centers = self.grid(features) + moves[..., :2]
        sizes = moves[..., 2:].exp()
        boxes = torch.cat([centers - sizes / 2, centers + sizes / 2], dim=-1)
        found: list[dict[str, Tensor]] = []
        for image_boxes, image_scores in zip(boxes, scores, strict=True):
            likely = image_scores > image_scores.median()
            chosen, chances = image_boxes[likely], image_scores[likely]
            rows = without_overlaps(chosen, chances)
            found.append({"boxes": chosen[rows], "scores": chances[rows]})
        return found


def example(batch: int) -> tuple[Detector, tuple[Tensor]]:
    return Detector(), (torch.randn(batch, 3, 12, 12),)
