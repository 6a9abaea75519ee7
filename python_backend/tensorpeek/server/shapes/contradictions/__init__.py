"""What the present text says against a traced pass, before anything runs."""
