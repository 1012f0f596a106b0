"""What the papers state beside the classifiers: dual norms, extensions, dimensions, cover paths."""
