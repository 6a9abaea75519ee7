"""Two DataLoader workers, each a process of its own."""

import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        square = torch.tensor(float(index * index))
        return square  # @bp:item


if __name__ == "__main__":
    for batch in DataLoader(Squares(), batch_size=4, num_workers=2):
        print(batch)
