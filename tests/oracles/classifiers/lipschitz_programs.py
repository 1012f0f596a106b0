"""The linear programs of the papers, with all their constraints, in scipy's HiGHS."""

from itertools import combinations, permutations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog


def two_classes(distances, signs, weights, C):
    """von Luxburg & Bousquet 2004, section 4.2: minimise rho + C sum w xi, |a_i - a_j| <= rho d_ij,
    y_i a_i >= 1 - xi_i.
    """
    n = len(signs)
    pairs = np.array(list(permutations(range(n), 2)))
    m = len(pairs)
    rows = np.arange(m)
    smooth = sp.csr_matrix(
        (
            np.concatenate([np.ones(m), -np.ones(m), -distances[pairs[:, 0], pairs[:, 1]]]),
            (np.tile(rows, 3), np.concatenate([pairs[:, 0], pairs[:, 1], np.full(m, 2 * n)])),
        ),
        shape=(m, 2 * n + 1),
    )
    right = sp.hstack(
        [-sp.diags(np.asarray(signs, dtype=float)), -sp.identity(n), sp.csr_matrix((n, 1))]
    )
    return _minimise(
        np.concatenate([np.zeros(n), C * weights, [1.0]]),
        sp.vstack([smooth, right]),
        np.concatenate([np.zeros(m), -np.ones(n)]),
        [(None, None)] * n + [(0, None)] * (n + 1),
    )


def several_classes(distances, codes, weights, C):
    """Kontorovich & Weiss 2014: k functions in [-1, 1], each rho-Lipschitz, f_y + f_y' <= 0;
    minimise rho + C sum w (1 - f_y).
    """
    n, k = len(codes), int(max(codes)) + 1
    rows, right = [], []
    for each in range(k):
        for i, j in permutations(range(n), 2):
            rows.append({i * k + each: 1.0, j * k + each: -1.0, n * k: -distances[i, j]})
            right.append(0.0)
    for i in range(n):
        for one, other in combinations(range(k), 2):
            rows.append({i * k + one: 1.0, i * k + other: 1.0})
            right.append(0.0)
    matrix = sp.lil_matrix((len(rows), n * k + 1))
    for row, entries in enumerate(rows):
        for column, value in entries.items():
            matrix[row, column] += value
    costs = np.zeros(n * k + 1)
    costs[-1] = 1.0
    for i in range(n):
        costs[i * k + codes[i]] -= C * weights[i]
    return _minimise(costs, matrix.tocsr(), right, [(-1, 1)] * (n * k) + [(0, None)]) + C * np.sum(
        weights
    )


def _minimise(costs, matrix, right, bounds):
    found = linprog(costs, A_ub=matrix, b_ub=right, bounds=bounds, method="highs")
    assert found.status == 0, found.message
    return found.fun
