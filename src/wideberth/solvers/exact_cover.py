"""Minimum vertex covers for any number of classes, by branch and bound on what the linear program leaves open."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from wideberth.optimize.solution import Solution
from wideberth.solvers.cover_kernels import link
from wideberth.solvers.vertex_cover import checked_pairs, relax, vertex_cover

Mask = NDArray[np.bool_]


def exact_cover(n_objects: int, codes: Any, first: Any, second: Any, *, max_time: float = 60.0) -> Solution:
    """A minimum set of objects with one end at least of every pair, or after ``max_time`` seconds the best found and a bound.

    With two classes it is that of `vertex_cover`. With more the problem is hard in general, but some minimum cover holds the
    objects of value 1 in the linear program and none of value 0 (Nemhauser & Trotter 1975), so that only those of value 1/2 are
    left, and they are few: HiGHS decides on them.

    >>> exact_cover(3, [0, 1, 2], [0, 1, 2], [1, 2, 0]).value  # a triangle: two of the three
    2.0
    """
    rounded = vertex_cover(n_objects, codes, first, second)
    if rounded.gap == 0:
        return rounded
    first, second, _ = checked_pairs(n_objects, codes, first, second)
    values = relax(link(n_objects, first, second))
    half = np.flatnonzero(values == 0.5)
    open_pairs = (values[first] == 0.5) & (values[second] == 0.5)
    found = _solve(half, first[open_pairs], second[open_pairs], n_objects, max_time)
    certain = float((values == 1).sum())
    bound = rounded.lower_bound
    if found.mip_dual_bound is not None:  # there may be none yet when the time is over
        bound = max(bound, certain + np.ceil(found.mip_dual_bound - 1e-6))
    if found.x is None or certain + found.fun > rounded.value:
        return Solution(rounded.point, rounded.value, bound, rounded.status)
    cover: Mask = values == 1
    cover[half] = found.x > 0.5
    size = float(cover.sum())
    return Solution(cover, size, bound, "optimal" if size == bound else "out of time")


def _solve(half: NDArray[np.intp], first: Any, second: Any, n_objects: int, max_time: float) -> Any:
    """Choose among the objects at ``half``, one end at least of each pair."""
    place = np.full(n_objects, -1)
    place[half] = np.arange(len(half))
    rows = np.repeat(np.arange(len(first)), 2)
    columns = np.stack([place[first], place[second]], axis=1).ravel()
    ends = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(first), len(half)))
    return milp(
        np.ones(len(half)),
        integrality=np.ones(len(half), dtype=int),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(ends, lb=1),
        options={"time_limit": max_time},
    )
