"""The least slope in a span of columns, with the constraints of all pairs at once, in scipy's
HiGHS.
"""

from itertools import permutations

import numpy as np
from scipy.optimize import linprog


def least_slope(columns, distances, signs, costs):
    """Minimise L + costs @ xi subject to f(x) - f(z) <= L d(x, z) for all pairs and y f >= 1 - xi,
    xi >= 0.

    f = columns @ beta + b. Where a cost is infinite there is no slack; infinite if no function is
    that good.
    """
    n, p = columns.shape
    hard = np.isinf(costs)
    pairs = [(i, j) for i, j in permutations(range(n), 2) if distances[i, j] > 0]
    slopes = [
        np.concatenate([columns[i] - columns[j], [0.0, -distances[i, j]], np.zeros(n)])
        for i, j in pairs
    ]
    margins = np.hstack([-signs[:, None] * columns, -signs[:, None], np.zeros((n, 1)), -np.eye(n)])
    found = linprog(
        np.concatenate([np.zeros(p + 1), [1.0], np.where(hard, 0.0, costs)]),
        A_ub=np.vstack([*slopes, margins]),
        b_ub=np.concatenate([np.zeros(len(pairs)), -np.ones(n)]),
        bounds=[(None, None)] * (p + 1) + [(0, None)] + [(0, 0 if each else None) for each in hard],
        method="highs",
    )
    assert found.status in (0, 2), found.message
    return found.fun if found.status == 0 else np.inf


def steepest(values, distances):
    """The Lipschitz constant of a function on a finite space, pair by pair."""
    pairs = [(i, j) for i, j in permutations(range(len(values)), 2) if distances[i, j] > 0]
    return max(abs(values[i] - values[j]) / distances[i, j] for i, j in pairs)
