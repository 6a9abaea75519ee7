"""The command line: `python -m tensorpeek run`."""
