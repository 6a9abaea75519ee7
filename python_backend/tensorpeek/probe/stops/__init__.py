"""Stops that the debugger makes for us: where, for what reason, and what can be seen and done there."""
