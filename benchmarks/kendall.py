"""A metric of the user's own: Kendall's Riemannian distance between shapes in the plane, from a
function of two blocks.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb


def shape_distances(left: Any, right: Any) -> NDArray[np.float64]:
    r"""The angles :math:`\arccos |\langle z, w \rangle|` of centred landmarks of size 1, as vectors
    of complex numbers.

    Invariant under translations, rotations and scale, not under reflections (Kendall, "Shape
    manifolds, Procrustean metrics, and complex projective spaces", Bulletin of the London
    Mathematical Society 16, 1984).
    """
    overlap = np.abs(_preshapes(left).conj() @ _preshapes(right).T)
    return np.arccos(np.minimum(overlap, 1.0))


def _preshapes(landmarks: Any) -> NDArray[np.complex128]:
    """Landmarks of shape (n, points, 2) without position and size."""
    points = np.asarray(landmarks, dtype=np.float64)
    flat = points[..., 0] + 1j * points[..., 1]
    centred = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


#: The distance of Fubini and Study in complex projective space: a metric, of which rotated copies
#: are at distance 0.
kendall = wb.Metric(
    shape_distances,
    name="Kendall's shape distance",
    obeys_triangle=True,
    bounded=True,
    separates=False,
)
