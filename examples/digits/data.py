"""The handwritten digits that scikit-learn ships: 1,797 grey images of 8 by 8 pixels."""

from __future__ import annotations

import torch
from sklearn.datasets import load_digits
from torch import Tensor
from torch.utils.data import Dataset

BRIGHTEST = 16.0


class Digits(Dataset):
    """One split of the digits. An item is `{"image": float32 [1, 8, 8] in 0…1, "label": int64 []}`."""

    def __init__(self, train: bool) -> None:
        pixels, labels = load_digits(return_X_y=True)
        chosen = [row for row in range(len(labels)) if (row % 5 != 0) == train]
        self.images = torch.tensor(pixels[chosen], dtype=torch.float32).view(-1, 1, 8, 8) / BRIGHTEST
        self.labels = torch.tensor(labels[chosen])

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        return {"image": self.images[index], "label": self.labels[index]}
