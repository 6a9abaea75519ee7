"""What a traced pass shows to be wrong although every shape fits: one small class per rule, in `registry`."""
