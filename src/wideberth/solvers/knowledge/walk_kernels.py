"""Compiled hit-and-run: points that wander through a body of rows and a ball until they are spread evenly over it."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract", "nnan"})
def walk(points: Floats, rows: Floats, offsets: Floats, radius: float, frame: Floats, chances: Floats) -> None:
    r"""Move each of ``points`` in place within :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`, a step per column of ``chances``.

    A step draws the point anew on its chord in the direction of a row of ``frame`` (unit vectors, taken in turn), evenly:
    ``chances`` in [0, 1) say where. The even distribution on the body is stationary under every such step. Points must lie in
    the body; the gap ``a . x + b`` of every row is carried along, so that a step costs O(rows + d).
    """
    n, d = points.shape
    m, steps = len(rows), chances.shape[1]
    slopes = np.empty((d, m))
    for c in range(d):
        for j in range(m):
            total = 0.0
            for e in range(d):
                total += rows[j, e] * frame[c, e]
            slopes[c, j] = total
    gaps = np.empty(m)
    for k in range(n):
        for j in range(m):
            gaps[j] = offsets[j]
            for e in range(d):
                gaps[j] += rows[j, e] * points[k, e]
        last, move = 0, 0.0
        for step in range(steps):
            c = step % d
            highest, lowest = 0.0, 0.0  # of slope / gap: the walls ahead and behind are at -1 over these
            for j in range(m):
                gap = gaps[j] + move * slopes[last, j]
                gap = max(gap, 1e-300)
                gaps[j] = gap
                wall = slopes[c, j] / gap
                highest = max(highest, wall)
                lowest = min(lowest, wall)
            along, square = 0.0, 0.0
            for e in range(d):
                along += points[k, e] * frame[c, e]
                square += points[k, e] * points[k, e]
            half = np.sqrt(max(along * along - square + radius * radius, 0.0))
            start, end = -along - half, -along + half
            if highest > 0.0:
                start = max(start, -1.0 / highest)
            if lowest < 0.0:
                end = min(end, -1.0 / lowest)
            move = start + (end - start) * chances[k, step] if end > start else 0.0
            for e in range(d):
                points[k, e] += move * frame[c, e]
            last = c
