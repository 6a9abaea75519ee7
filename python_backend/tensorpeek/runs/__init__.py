"""The run folder `.tensorpeek/runs/<run>/`: one module writes each file, one reads it."""
