"""The linear-programming machine with all its columns and rows at once, in scipy's HiGHS."""

import numpy as np
from scipy.optimize import linprog


def soft_margin(columns, signs, costs):
    """Minimise |beta|_1 + costs @ xi subject to y (columns @ beta + b) >= 1 - xi, xi >= 0; beta is a difference of two."""
    n, p = columns.shape
    signed = signs[:, None] * columns
    rows = np.hstack([-signed, signed, -signs[:, None], -np.eye(n)])
    found = linprog(
        np.concatenate([np.ones(2 * p), [0.0], costs]),
        A_ub=rows,
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * n,
        method="highs",
    )
    assert found.status == 0, found.message
    return found.fun


def hard_margin(columns, signs):
    """Minimise |beta|_1 subject to y (columns @ beta + b) >= 1; infinite if no function is that good."""
    p = columns.shape[1]
    signed = signs[:, None] * columns
    found = linprog(
        np.concatenate([np.ones(2 * p), [0.0]]),
        A_ub=np.hstack([-signed, signed, -signs[:, None]]),
        b_ub=-np.ones(len(signs)),
        bounds=[(0, None)] * (2 * p) + [(None, None)],
        method="highs",
    )
    assert found.status in (0, 2), found.message
    return found.fun if found.status == 0 else np.inf
