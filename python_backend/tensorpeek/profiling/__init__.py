"""Reads the record of a profiled run: what it means, what would help, and how it is said."""
