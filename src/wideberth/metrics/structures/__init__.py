"""Trees, graphs and sets of points."""
