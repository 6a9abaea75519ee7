"""A DataLoader with two worker processes."""

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __getitem__(self, index):
        item = torch.full((3,), float(index))
        return item  # @bp:item

    def __len__(self):
        return 4


if __name__ == "__main__":
    total = 0.0
    for batch in DataLoader(Numbers(), batch_size=2, num_workers=2):
        total += float(batch.sum())
    print("total", total)  # @bp:total
