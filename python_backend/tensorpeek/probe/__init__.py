"""Lives in the debuggee: standard library only; torch, numpy and pandas come from `sys.modules` or not at all."""
