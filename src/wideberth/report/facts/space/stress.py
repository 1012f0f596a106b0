r"""Points in the plane whose distances follow given ones: the stress is lowered step by step from a first guess.

.. math:: \sigma(X) = \sum_{i < j} \bigl(\lVert x_i - x_j \rVert - d_{ij}\bigr)^2

Classical scaling gives the guess. It is exact for distances of a plane, but draws points of other spaces too close together: it
projects, and a projection shortens. Majorisation (de Leeuw 1977, "Applications of convex analysis to multidimensional scaling")
replaces the stress by a parabola above it, whose lowest point is an average, so that no step raises the stress.
"""

import numpy as np

from wideberth.array_types import Floats
from wideberth.metrics.metric import Distances

#: Steps for landmarks among each other, and for other objects, which see the landmarks alone.
_STEPS, _PLACING_STEPS = 60, 20
#: Points nearer than this share of the largest distance push each other in no direction.
_TOUCHING = 1e-12


def scaled(distances: Distances, start: Floats) -> Floats:
    """Move points so that their distances follow given ones.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Symmetric.
    start : ndarray of shape (n, 2)
        The first guess.

    Returns
    -------
    ndarray of shape (n, 2)
        Points of at most the stress of the guess, with mean 0.

    Examples
    --------
    >>> corner = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> points = scaled(corner, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> round(float(np.hypot(*(points[1] - points[2]))), 2)
    5.0
    """
    points: Floats = start - start.mean(axis=0)
    for _ in range(_STEPS):
        pull = _ratios(distances, points, points)
        points = np.asarray((pull.sum(axis=1)[:, None] * points - pull @ points) / len(points))
    return points


def placed(distances: Distances, landmarks: Floats, start: Floats) -> Floats:
    """Move points so that their distances to fixed landmarks follow given ones.

    Parameters
    ----------
    distances : ndarray of shape (n, m)
        From the objects to the landmarks.
    landmarks : ndarray of shape (m, 2)
        Where these are.
    start : ndarray of shape (n, 2)
        The first guess.

    Returns
    -------
    ndarray of shape (n, 2)

    Examples
    --------
    >>> landmarks = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    >>> placed(np.array([[5.0, 3.0, np.sqrt(17.0)]]), landmarks, np.array([[1.0, 1.0]])).round(1)
    array([[4., 3.]])
    """
    points, centre = start, landmarks.mean(axis=0)
    for _ in range(_PLACING_STEPS):
        pull = _ratios(distances, points, landmarks)
        points = centre + (pull.sum(axis=1)[:, None] * points - pull @ landmarks) / len(landmarks)
    return points


def _ratios(distances: Distances, left: Floats, right: Floats) -> Floats:
    """The true distance of each pair over the drawn one; 0 for points that touch."""
    drawn = np.hypot(left[:, :1] - right[:, 0], left[:, 1:] - right[:, 1])
    least = _TOUCHING * float(distances.max())
    return np.divide(distances, drawn, out=np.zeros_like(distances), where=drawn > least)
