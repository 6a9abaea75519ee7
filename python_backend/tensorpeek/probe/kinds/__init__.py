"""What each kind of value says about itself: one small class per kind."""
