"""Metrics on trees, graphs and finite sets of points."""
