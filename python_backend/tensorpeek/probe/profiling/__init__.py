"""Measures one training as it runs: the phases of its steps, its lines, modules, operations and memory."""
