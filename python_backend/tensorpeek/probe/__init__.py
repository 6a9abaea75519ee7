"""Lives in the debuggee: standard library only; torch, numpy and pandas are looked up in `sys.modules`, never imported."""
