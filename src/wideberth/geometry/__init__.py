"""Distances between many objects, and what follows from them: neighbours, pairs of classes that are
close, and shape.
"""
