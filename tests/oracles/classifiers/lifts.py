"""The hidden vectors of lifts, from their definition, by numerical integration."""

import numpy as np

NODES = np.cos(np.pi * (np.arange(20_000) + 0.5) / 20_000)


def euclidean_hidden(center: np.ndarray) -> np.ndarray:
    return 2 * np.sqrt(10) / 3 * np.append(center, -1.5 * center @ center)


def chebyshev_hidden(center: np.ndarray, p: float, degree: int) -> np.ndarray:
    """The coefficients of -sum_c |q_c - x_c|^p with respect to the features, from means over the
    arcsine law.
    """
    d = len(center)
    functions = -(np.abs(NODES - center[:, None]) ** p)
    polynomials = np.sqrt(2) * np.cos(np.arange(1, degree + 1)[:, None] * np.arccos(NODES))
    constant = functions.mean(axis=1).sum() / np.sqrt(d)
    coefficients = functions @ polynomials.T / len(NODES)
    return np.sqrt(d * (2 * degree + 1)) * np.append(constant, coefficients.ravel())
