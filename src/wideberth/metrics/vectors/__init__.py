"""Metrics on vectors of one dimension: norms, angles, places on a sphere, and a learned covariance."""
