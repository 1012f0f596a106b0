"""Complexity of the margin functions on a sample: by cells, by chains of cells, and by
perturbations of low dimension.
"""
