"""Training-wide conditions and their stops, as the client sees them."""
