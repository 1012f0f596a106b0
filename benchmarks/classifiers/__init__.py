"""Classifiers beside their peers: the time of their programs, and errors on real data."""
