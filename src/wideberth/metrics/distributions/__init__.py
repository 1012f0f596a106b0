"""Distributions: histograms, images, samples of numbers."""
