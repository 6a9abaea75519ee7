"""TensorPeek: a visual debugger for people who train neural networks with PyTorch."""

__version__ = "0.1.0"
