"""How often a bound may fail in simulated runs: no more than the 99.9 % quantile of Binomial(300,
delta).
"""

import numpy as np
from scipy.stats import binom

RUNS = 300
DELTAS = [0.05, 0.3]


def most_failures(delta):
    return binom.ppf(0.999, RUNS, delta)


def assert_rarely(failures, delta):
    assert np.shape(failures) == (RUNS,)
    assert np.sum(failures) <= most_failures(delta)


def assert_too_often(failures, delta):
    """What was left out is needed: without it the bound fails more often than it may."""
    assert np.shape(failures) == (RUNS,)
    assert np.sum(failures) > most_failures(delta)
