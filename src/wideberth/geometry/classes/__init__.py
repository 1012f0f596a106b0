"""Labelled objects: nearest enemies, conflicts, bisectors, duplicates."""
