"""A tensor that takes long to look through; it is all zeros, so it takes no memory."""

import time

import torch


def main():
    huge = torch.zeros(500_000_000)
    small = torch.ones(3)
    other = 1  # @bp:here
    while other < 60_000:
        other += 1
        time.sleep(0.01)  # @bp:turn
    return huge, small


main()
