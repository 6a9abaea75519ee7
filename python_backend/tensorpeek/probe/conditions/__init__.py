"""Training-wide conditions: one small class each, described in `catalogue.conditions`."""
