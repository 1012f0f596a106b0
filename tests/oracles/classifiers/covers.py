"""Vertex covers by trying everything, matchings by somebody else's code."""

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching


def conflicts(
    distances: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of different classes, by index."""
    first, second = np.nonzero(np.triu(codes[:, None] != codes, 1))
    return first, second, distances[first, second]


def is_cover(mask: np.ndarray, first: np.ndarray, second: np.ndarray) -> bool:
    return bool((mask[first] | mask[second]).all())


def smallest_cover(n: int, first: np.ndarray, second: np.ndarray) -> int:
    """By enumeration."""
    for size in range(n + 1):
        for chosen in combinations(range(n), size):
            if is_cover(np.isin(np.arange(n), chosen), first, second):
                return size
    raise AssertionError("all vertices are a cover")


def _incidence(n: int, first: np.ndarray, second: np.ndarray) -> csr_array:
    edges = np.arange(len(first))
    return csr_array(
        (np.ones(2 * len(first)), (np.r_[edges, edges], np.r_[first, second])),
        shape=(len(first), n),
    )


def smallest_cover_by_search(n: int, first: np.ndarray, second: np.ndarray) -> int:
    """By branch and bound, for graphs of some hundred vertices."""
    above = LinearConstraint(_incidence(n, first, second), 1)
    return round(
        milp(np.ones(n), constraints=above, integrality=np.ones(n), bounds=Bounds(0, 1)).fun
    )


def relaxed_cover(n: int, first: np.ndarray, second: np.ndarray) -> float:
    """The value of the linear program."""
    if not len(first):
        return 0.0
    return float(
        linprog(
            np.ones(n), A_ub=-_incidence(n, first, second), b_ub=-np.ones(len(first)), bounds=(0, 1)
        ).fun
    )


def matching_number(n: int, left: np.ndarray, right: np.ndarray) -> int:
    """The size of a maximum matching of a bipartite graph."""
    graph = csr_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return int((maximum_bipartite_matching(graph, "column") >= 0).sum())
