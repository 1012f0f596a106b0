"""Choosing parameters by cross-validation: folds, candidates and their answers, race, scores, and
the base class that chooses.
"""
