r"""How much can still be lost at all: the largest reach of a cone of possible vectors along queries
whose sign is undecided.

Rows without slack leave a cone :math:`K = \{w : a_j \cdot w \ge 0, |w| \le R\}`. If the sign of a
unit vector q is undecided, some :math:`w_0 \ne 0` in K is orthogonal to it. All vectors of a narrow
cone are near to that one in direction: with a unit vector c and orthonormal vectors :math:`e_j`
across it,

.. math:: \sin \varphi \le \sigma := \frac1R \Bigl(\sum_j \max_{w \in K} \langle e_j, w
    \rangle^2\Bigr)^{1/2}

bounds the angle :math:`\varphi` between c and any vector of K (the longest ones, of length R, have
the largest coordinates). Two of them are at most :math:`2 \arcsin \sigma` apart, hence
:math:`|\langle q, w \rangle| \le R \sin(2 \arcsin \sigma)`, if that angle is below a right one.
Derived here. Scales of larger widths than twice that will never be active again, so that a
potential need not count them.
"""

from math import asin, sin, sqrt

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import Rows
from wideberth.classifiers.online.knowledge.knowledge_set import Scales


def largest_undecided_reach(rows: Rows, radius: float, points: Floats) -> float:
    """A bound of the inner product of possible vectors with a unit vector whose sign the rows leave
    open.

    Parameters
    ----------
    rows : Rows
        The rows.
    radius : float
        The largest length of the vectors.
    points : ndarray of shape (n, d)
        Some points near the possible vectors, by which the axis of the cone is chosen; the bound
        holds for any.

    Returns
    -------
    float
        At most the radius, which it is where rows have slacks.

    Examples
    --------
    >>> rows = Rows(2)
    >>> for row in ([0.1, 1.0], [0.1, -1.0]):  # w is within 6 degrees of the first axis
    ...     rows.add(np.array(row) / np.linalg.norm(row))
    >>> round(largest_undecided_reach(rows, 2.0, np.array([[1.0, 0.0], [2.0, 0.0]])), 2)
    0.4
    """
    if rows.any_slack or not len(rows):
        return radius
    centre = points.mean(axis=0)
    length = float(np.linalg.norm(centre))
    if length == 0:
        return radius
    axis = centre / length
    across = points - np.outer(points @ axis, axis)
    frame = np.linalg.svd(
        np.vstack([across, 1e6 * max(1.0, float(np.abs(across).max())) * axis]), full_matrices=True
    )[2][1:]
    reaches = [
        max(rows.reach(radius, direction), rows.reach(radius, -direction)) for direction in frame
    ]
    sine = sqrt(sum(reach * reach for reach in reaches)) / radius
    return radius if sine >= sqrt(0.5) else radius * sin(2 * asin(sine))


def without_idle_scales(excess: Floats, scales: Scales, rows: Rows, points: Floats) -> Floats:
    """The logarithms of volumes with the least there is for scales that will never be active again.

    Parameters
    ----------
    excess : ndarray of shape (n_scales,)
        The logarithm of the volume of each body over that of the ball z_i B.
    scales : Scales
        The scales.
    rows, points
        As for `largest_undecided_reach`.

    Examples
    --------
    >>> scales = Scales.for_ball(2, 2.0, 1.0)
    >>> bool(
    ...     (
    ...         without_idle_scales(scales.ball_excess(), scales, Rows(2), np.eye(2))
    ...         == scales.ball_excess()
    ...     ).all()
    ... )
    True
    """
    idle = scales.widths > 2 * largest_undecided_reach(rows, scales.radius, points)
    return np.where(idle, np.minimum(excess, scales.least_excess), excess)
