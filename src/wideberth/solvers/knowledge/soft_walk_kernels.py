"""Compiled hit-and-run under labels that may be wrong: every row that a point violates makes it less likely by a factor."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True, error_model="numpy")
def soft_walk(points: Floats, rows: Floats, radius: float, log_factor: float, frame: Floats, chances: Floats) -> None:
    r"""Move each point in place, in the ball, under the density :math:`\rho^{\#\{j : a_j \cdot x < 0\}}`, given :math:`\ln \rho`.

    A step draws the point anew on its chord along a row of ``frame``, exactly: on the chord the density is constant between the
    places where it crosses a row. ``chances``, in [0, 1), has one column a step.
    """
    n, d = points.shape
    m, steps = len(rows), chances.shape[1]
    slopes = rows @ frame.T
    gaps, places, turns = np.empty(m), np.empty(m), np.empty(m, dtype=np.int64)
    for k in range(n):
        for j in range(m):
            gaps[j] = 0.0
            for e in range(d):
                gaps[j] += rows[j, e] * points[k, e]
        for step in range(steps):
            c = step % d
            along, square = 0.0, 0.0
            for e in range(d):
                along += points[k, e] * frame[c, e]
                square += points[k, e] * points[k, e]
            half = np.sqrt(max(along * along - square + radius * radius, 0.0))
            start, end = -along - half, -along + half
            count, violated = 0, 0
            for j in range(m):
                slope = slopes[j, c]
                violated += gaps[j] + start * slope < 0.0
                place = -gaps[j] / slope if slope != 0.0 else end
                if start < place < end:
                    places[count], turns[count] = place, -1 if slope > 0.0 else 1
                    count += 1
            move = _draw(start, end, places[:count], turns[:count], violated, log_factor, chances[k, step])
            for e in range(d):
                points[k, e] += move * frame[c, e]
            for j in range(m):
                gaps[j] += move * slopes[j, c]


@njit(nogil=True, cache=True, error_model="numpy")
def _draw(
    start: float, end: float, places: Floats, turns: NDArray[np.int64], violated: int, log_factor: float, chance: float
) -> float:
    """A place between ``start`` and ``end``; at ``places`` the number of violated rows changes by ``turns``."""
    order = np.argsort(places)
    level, least = violated, violated
    for k in order:
        level += turns[k]
        least = min(least, level)
    weights = np.empty(places.size + 1)
    level, before, total = violated, start, 0.0
    for position in range(places.size + 1):
        after = places[order[position]] if position < places.size else end
        weights[position] = (after - before) * np.exp(log_factor * (level - least))
        total += weights[position]
        before = after
        if position < places.size:
            level += turns[order[position]]
    left, before = chance * total, start
    for position in range(places.size):
        after = places[order[position]]
        if left < weights[position]:
            return float(before + (after - before) * left / weights[position])
        left -= weights[position]
        before = after
    if weights[-1] > 0.0:
        before += (end - before) * min(left / weights[-1], 1.0)
    return float(before)
