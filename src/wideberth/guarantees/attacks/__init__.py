"""Attacks on the labels of a classifier: objects near a given one that get another label, among strings and among numbers."""
