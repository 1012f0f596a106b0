"""Vectors of equal dimension."""
