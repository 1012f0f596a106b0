"""Metrics on vectors of equal dimension: norms, angles, places on a sphere, and a learned
covariance.
"""
