"""TensorPeek: a visual debugger for people who train neural networks with PyTorch."""
