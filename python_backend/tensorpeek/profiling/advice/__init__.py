"""What would help: one class per kind of advice, on the reduced record alone."""
