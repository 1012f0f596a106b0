"""Conformal p-values by their definitions."""

from fractions import Fraction

import numpy as np


def p_value(calibration, score):
    """The share of all scores, the new one among them, that are at least as large as it."""
    return Fraction(sum(each >= score for each in [*calibration, score]), len(calibration) + 1)


def quantile_rule(calibration, score, delta):
    """Whether a score is at most the ceil((n + 1)(1 - delta))-th smallest calibration score."""
    n = len(calibration)
    rank = -((n + 1) * (delta - 1) // 1)  # ceil, of a Fraction
    return rank > n or score <= sorted(calibration)[int(rank) - 1]


def full_conformal_novelty(distances, new, k):
    """The p-value of a new object, ``new`` holding its distances: each of the n + 1 objects is
    measured against all others.
    """
    n = len(distances)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[n, :n], whole[:n, n] = distances, new, new
    strange = [sorted(np.delete(whole[i], i))[k - 1] for i in range(n + 1)]
    return Fraction(sum(each >= strange[n] for each in strange), n + 1)


def leads(scores):
    """By how much the best other label leads over each label, one by one."""
    found = np.empty(scores.shape)
    for i, row in enumerate(scores):
        for label in range(len(row)):
            others = np.delete(row, label)
            found[i, label] = (others.max() if len(others) else -np.inf) - row[label]
    return found
