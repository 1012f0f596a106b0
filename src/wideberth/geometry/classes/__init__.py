"""Labelled objects: nearest enemies, conflicts, distances to bisectors between classes, and equal
objects.
"""
