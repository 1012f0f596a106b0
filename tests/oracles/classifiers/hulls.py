"""The distance between two convex hulls, from the squared distances of their points alone, by
nonnegative least squares.
"""

import numpy as np
from scipy.optimize import nnls


def hull_distance(squared, positive):
    """The least distance between mixtures of either side, whose shares add up to 1 because anything
    else is dear.
    """
    n = len(squared)
    centring = np.eye(n) - 1.0 / n
    values, axes = np.linalg.eigh(-centring @ squared @ centring / 2)
    points = axes * np.sqrt(np.maximum(values, 0.0))  # one in each row
    dear = 1e5 * max(1e-300, np.sqrt(squared.max()))
    system = np.vstack(
        [(np.where(positive, 1.0, -1.0)[:, None] * points).T, dear * positive, dear * ~positive]
    )
    shares, _ = nnls(system, np.r_[np.zeros(n), dear, dear], maxiter=10_000)
    return float(
        np.linalg.norm(shares[positive] @ points[positive] - shares[~positive] @ points[~positive])
    )
