"""Metrics on distributions: histograms and images, bin by bin or by transport, and samples of
numbers.
"""
