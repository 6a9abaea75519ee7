"""Stops at the user's line that changes a value: DAP's data breakpoints."""
