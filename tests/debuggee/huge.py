"""A tensor that takes long to look through; it is all zeros, so it takes no memory."""

import time

import torch


def main():
    huge = torch.zeros(500_000_000)
    other = 1
    while other < 60_000:
        other += 1  # @bp:turn
        time.sleep(0.01)
    return huge


main()
