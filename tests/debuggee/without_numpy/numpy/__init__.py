"""Put before the real numpy on the path, this makes an interpreter that has torch alone."""

raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
