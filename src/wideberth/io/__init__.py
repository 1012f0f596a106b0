"""Files: readers of data, and model files."""
