"""Attacks on the labels of a classifier: the nearest objects found that get another label."""
