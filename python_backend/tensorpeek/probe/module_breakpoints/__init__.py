"""Stops where a module of the model is called, or where the gradient comes back to it."""
