"""Compiled steps of populations of points: what a query divides, how far inside points are, copies,
and their principal axes.

All of them are short loops over some hundred points. Libraries of linear algebra would divide such
work among threads, which takes longer than the work where the machine is busy.
"""

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.compilation import compiled


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def count_sides(points: Floats, direction: Floats, thickness: float) -> tuple[int, int, int, float]:
    """How many points are above 0 along a direction, at least minus a thickness, at most a
    thickness, and how far they spread.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points, at least one.
    direction : ndarray of shape (d,)
        The direction.
    thickness : float
        The thickness, at least 0.

    Examples
    --------
    >>> count_sides(np.array([[-1.0], [0.1], [2.0]]), np.ones(1), 0.5)
    (2, 2, 2, 3.0)
    """
    above, plus, minus = 0, 0, 0
    lowest, highest = np.inf, -np.inf
    for k in range(len(points)):
        height = 0.0
        for c in range(direction.size):
            height += points[k, c] * direction[c]
        above += height > 0.0
        plus += height >= -thickness
        minus += height <= thickness
        lowest, highest = min(lowest, height), max(highest, height)
    return above, plus, minus, highest - lowest


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def depths_inside(points: Floats, rows: Floats, offsets: Floats, radius: float) -> Floats:
    r"""How far inside of :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}` each point is, shape (n,);
    negative outside.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points.
    rows : ndarray of shape (m, d)
        The rows a_j.
    offsets : ndarray of shape (m,)
        The offsets b_j.
    radius : float
        The radius r.

    Examples
    --------
    >>> depths_inside(np.array([[0.5], [-0.5]]), np.array([[1.0]]), np.array([0.25]), 1.0)
    array([ 0.5 , -0.25])
    """
    n, d = points.shape
    columns, depths, gaps = (
        points.T.copy(),
        np.zeros(n),
        np.empty(n),
    )  # columns, so that loops run over points
    for c in range(d):
        for k in range(n):
            depths[k] += columns[c, k] * columns[c, k]
    for k in range(n):
        depths[k] = radius - np.sqrt(depths[k])
    for j in range(len(rows)):
        gaps[:] = offsets[j]
        for c in range(d):
            for k in range(n):
                gaps[k] += rows[j, c] * columns[c, k]
        for k in range(n):
            depths[k] = gaps[k] if gaps[k] < depths[k] else depths[k]
    return depths


@compiled(error_model="numpy")
def replace_lost(points: Floats, kept: Flags, groups: int, chances: Floats) -> None:
    """Replace points that are not kept, in place, by copies of points of the same group that are,
    drawn at random.

    Groups are as many parts of equal length; a group of which nothing is kept takes copies from all
    others.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points; at least one of them is kept.
    kept : ndarray of shape (n,)
        Which of them are kept.
    groups : int
        The number of groups.
    chances : ndarray of shape (n,)
        Numbers in [0, 1): which point each of the others becomes.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> replace_lost(points, np.array([True, False, False, True]), 2, np.full(4, 0.5))
    >>> points.ravel()
    array([0., 0., 3., 3.])
    """
    n = len(points)
    size = n // groups
    survivors = np.empty(n, dtype=np.int64)
    for group in range(groups):
        start, end = group * size, (group + 1) * size if group + 1 < groups else n
        count = 0
        for k in range(start, end):
            if kept[k]:
                survivors[count] = k
                count += 1
        if count == 0:
            for k in range(n):
                if kept[k]:
                    survivors[count] = k
                    count += 1
        for k in range(start, end):
            if not kept[k]:
                points[k] = points[survivors[int(chances[k] * count)]]


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def triangle_of(points: Floats) -> Floats:
    r"""The triangular matrix R of the centred points, :math:`R^\top R = (X - \bar x)^\top (X - \bar
    x)`, shape (d, d).

    Its singular vectors are the principal axes. It comes from modified Gram-Schmidt, without the
    squares of the covariance, in which the short axes of bodies that are a billion times longer
    than thick would be lost.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The points, n >= d.

    Examples
    --------
    >>> triangle_of(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])).round(9) ** 2
    array([[2., 0.],
           [0., 8.]])
    """
    n, d = points.shape
    columns, triangle = np.empty((d, n)), np.zeros((d, d))
    for c in range(d):
        mean = 0.0
        for k in range(n):
            mean += points[k, c]
        mean /= n
        for k in range(n):
            columns[c, k] = points[k, c] - mean
    for c in range(d):
        square = 0.0
        for k in range(n):
            square += columns[c, k] * columns[c, k]
        length = np.sqrt(square)
        triangle[c, c] = length
        if length == 0.0:
            continue
        for other in range(c + 1, d):
            share = 0.0
            for k in range(n):
                share += columns[c, k] * columns[other, k]
            share /= length
            triangle[c, other] = share
            share /= length
            for k in range(n):
                columns[other, k] -= share * columns[c, k]
    return triangle
