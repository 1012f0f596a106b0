"""Transport and norms of functions as the linear programs that define them."""

import numpy as np
from scipy.optimize import linprog


def transport_cost(distances, amounts):
    """The cheapest plan over all ways between all places, back and forth, that moves the amounts:
    by a linear program.
    """
    n = len(amounts)
    balance = np.zeros((n, n * n))
    for source in range(n):
        for target in range(n):
            balance[source, source * n + target] += 1
            balance[target, source * n + target] -= 1
    found = linprog(np.asarray(distances).ravel(), A_eq=balance, b_eq=amounts)
    assert found.status == 0
    return found.fun


def best_lipschitz_function(distances, amounts):
    """The largest sum of amounts times values over all functions with Lipschitz constant 1."""
    n = len(amounts)
    rows, limits = [], []
    for i in range(n):
        for j in range(n):
            row = np.zeros(n)
            row[i] += 1
            row[j] -= 1
            rows.append(row)
            limits.append(distances[i][j])
    bounds = [(0, 0)] + [(None, None)] * (n - 1)
    return -linprog(-np.asarray(amounts), A_ub=np.array(rows), b_ub=limits, bounds=bounds).fun


def dual_kuratowski_norm(distances, values):
    """The largest value of the functional on the unit ball of the span of the distance functions;
    infinite if there is none.
    """
    distances, n = np.asarray(distances, dtype=float), len(values)
    found = linprog(
        -np.asarray(values),
        A_ub=np.vstack([distances, -distances]),
        b_ub=np.ones(2 * n),
        bounds=[(None, None)] * n,
    )
    return -found.fun if found.status == 0 else np.inf
