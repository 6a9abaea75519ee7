"""Runs the last step once more, in a copy of the process, to find where a NaN was born."""
