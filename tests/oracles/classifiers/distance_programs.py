"""The linear-programming machine with all its columns and rows at once, in scipy's HiGHS."""

import numpy as np
from scipy.optimize import linprog, minimize


def soft_margin(columns, signs, costs):
    """Minimise |beta|_1 + costs @ xi subject to y (columns @ beta + b) >= 1 - xi, xi >= 0; beta is
    a difference of two.
    """
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
    """Minimise |beta|_1 subject to y (columns @ beta + b) >= 1; infinite if no function is that
    good.
    """
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


def rounded_hinge(shortfalls, band):
    """The hinge loss with its corner rounded over a band."""
    inside = np.clip(shortfalls, 0.0, band)
    return inside**2 / (2 * band) + np.maximum(0.0, shortfalls - band)


def smoothed_value(columns, signs, costs, band, coefficients, intercept):
    """|beta|_1 + costs @ H(1 - y (columns @ beta + b)) with the rounded hinge loss H."""
    return np.abs(coefficients).sum() + costs @ rounded_hinge(
        1.0 - signs * (columns @ coefficients + intercept), band
    )


def smoothed_margin(columns, signs, costs, band):
    """Its minimum by scipy's L-BFGS-B; beta is a difference of two vectors that are not
    negative.
    """
    p = columns.shape[1]

    def value_and_slopes(point):
        shortfalls = 1.0 - signs * (columns @ (point[:p] - point[p:-1]) + point[-1])
        pulls = -costs * signs * np.clip(shortfalls / band, 0.0, 1.0)
        slopes = columns.T @ pulls
        value = point[:-1].sum() + costs @ rounded_hinge(shortfalls, band)
        return value, np.concatenate([1.0 + slopes, 1.0 - slopes, [pulls.sum()]])

    bounds = [(0, None)] * (2 * p) + [(None, None)]
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-12, "maxcor": 50}
    return minimize(
        value_and_slopes,
        np.zeros(2 * p + 1),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options=options,
    ).fun
