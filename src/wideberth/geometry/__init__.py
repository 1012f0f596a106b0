"""Distances between many objects, and what can be read off them: neighbours, classes that meet, and shape."""
