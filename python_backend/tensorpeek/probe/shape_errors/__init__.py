"""Explains an operation that failed since shapes disagree, in the names of the user's code."""
