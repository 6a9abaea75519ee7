"""Makes of a file one whose functions tell a recorder what their expressions give."""
