"""Tensors seen without touching them: no operation is dispatched, so no mode, hook, graph or profiler
notices."""
