"""Coordinates for objects of any kind, so that every method for vectors can be used on them."""
