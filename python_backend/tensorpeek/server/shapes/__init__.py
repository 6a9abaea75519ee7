"""Shapes of a traced forward pass beside the code, as any LSP client can show them."""
