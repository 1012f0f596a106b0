"""Files: readers that make objects and labels of data, model files, and writing whole or not at all."""
