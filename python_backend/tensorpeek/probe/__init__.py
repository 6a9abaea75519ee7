"""Lives in the debuggee: standard library only, and what the program itself has imported."""
