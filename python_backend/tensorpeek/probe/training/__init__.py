"""What is known of a training while it runs: clock, models, moments, and who is told of them."""
