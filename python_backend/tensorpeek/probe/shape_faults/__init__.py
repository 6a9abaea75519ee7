"""Faults of shapes that fit, judged by sizes and their origin alone: of what runs, and of what is traced."""
