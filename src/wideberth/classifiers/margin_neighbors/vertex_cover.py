r"""Small vertex covers of a conflict graph: which objects to remove so that no two of different classes are too close.

The graph joins objects of different classes. A *cover* contains at least one end of every pair; the smallest one solves

.. math:: \min \sum_v x_v \quad\text{subject to}\quad x_u + x_v \ge 1 \text{ for every pair } uv, \qquad x_v \in \{0, 1\}.

With :math:`0 \le x_v \le 1` instead it is a linear program that has a solution in {0, 1/2, 1} (Nemhauser & Trotter 1975). This
solution is read off a maximum matching of the double cover: the bipartite graph with the edges :math:`u_L v_R` and
:math:`v_L u_R` for every pair.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.margin_neighbors.cover_kernels import cover_by_degree, drop_redundant_in_order, link, maximum_matching
from wideberth.errors import InvalidInput
from wideberth.optimize.solution import Solution
from wideberth.progress import doing
from wideberth.wording import at

Ends = NDArray[np.int32]
Lists = tuple[NDArray[np.int64], Ends]  # the neighbours of v are lists[1][lists[0][v] : lists[0][v + 1]]


@doing("cover")
def vertex_cover(n_objects: int, codes: Any, first: Any, second: Any) -> Solution:
    """Compute a small vertex cover of pairs of objects of different classes, with a lower bound.

    If the pairs join two classes the cover is a minimum one (Koenig 1931): its size is that of a maximum matching. For k classes
    the lower bound is the value of the linear program, rounded up. Vertices of value 1 enter the cover. Of those of value 1/2,
    two candidates are compared: all but the largest class of each connected component, which gives at most :math:`2 - 2/k` times
    the optimum (Hochbaum 1983, with the classes as colours); and all but those that are left out one by one because they have the
    fewest conflicts left. Vertices whose neighbours are all in the cover then leave it, those with few neighbours first.

    Parameters
    ----------
    n_objects : int
        The number of vertices.
    codes : array-like of shape (n_objects,)
        Their class codes.
    first, second : array-like of shape (e,)
        Indices of the two objects of each pair, of different classes.

    Returns
    -------
    Solution
        ``point`` is a mask of the objects in the cover, ``value`` its size.

    Examples
    --------
    >>> found = vertex_cover(4, [0, 0, 0, 1], [0, 1, 2], [3, 3, 3])
    >>> found.point, found.value, found.lower_bound, found.status
    (array([False, False, False,  True]), 1.0, 1.0, 'optimal')
    """
    first, second, codes = checked_pairs(n_objects, codes, first, second)
    lists = link(n_objects, first, second)
    classes = classes_of_pairs(codes, first, second)
    if len(classes) <= 2:
        return _bipartite_cover(lists, codes == classes[0] if len(classes) else np.zeros(n_objects, dtype=bool))
    values = relax(lists)
    candidates = [round_up(values, codes, lists), (values == 1) | cover_by_degree(*lists, values == 0.5)]
    for candidate in candidates:
        drop_redundant(candidate, lists)
    cover = min(candidates, key=np.count_nonzero)
    bound = float(np.ceil(values.sum()))
    size = float(cover.sum())
    return Solution(cover, size, bound, "optimal" if size == bound else "rounded linear program, redundant vertices dropped")


@doing("cover")
def exact_cover(n_objects: int, codes: Any, first: Any, second: Any, *, max_time: float = 60.0) -> Solution:
    """Compute a minimum vertex cover, or the best one found within the time limit and a lower bound.

    With two classes it is that of `vertex_cover`. With more classes the problem is NP-hard, but some minimum cover contains the
    objects of value 1 in the linear program and none of value 0 (Nemhauser & Trotter 1975). Only those of value 1/2 have to be
    decided, usually few, by the branch and bound of HiGHS.

    Parameters
    ----------
    n_objects, codes, first, second
        As in `vertex_cover`.
    max_time : float
        Seconds for branch and bound.

    Returns
    -------
    Solution
        Its status is "optimal" if the cover is proved to be a minimum one.

    Examples
    --------
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
    found = _decide_halves(half, first[open_pairs], second[open_pairs], n_objects, max_time)
    certain = float((values == 1).sum())
    bound = rounded.lower_bound
    if found.mip_dual_bound is not None:  # there may be none yet when the time is up
        bound = max(bound, certain + np.ceil(found.mip_dual_bound - 1e-6))
    if found.x is None or certain + found.fun > rounded.value:
        return Solution(rounded.point, rounded.value, bound, rounded.status)
    cover: Flags = values == 1
    cover[half] = found.x > 0.5
    size = float(cover.sum())
    return Solution(cover, size, bound, "optimal" if size == bound else "out of time")


def checked_pairs(n_objects: int, codes: Any, first: Any, second: Any) -> tuple[Ends, Ends, Indices]:
    """Convert the pairs and the class codes to arrays, and check that every pair joins two objects of different classes.

    Parameters
    ----------
    n_objects, codes, first, second
        As in `vertex_cover`.

    Returns
    -------
    first, second : ndarray of int32
        The pairs.
    codes : ndarray of shape (n_objects,)
        The class codes.

    Raises
    ------
    InvalidInput
        If shapes do not fit, an index is out of range, or a pair has one class; the message names the pair.

    Examples
    --------
    >>> first, second, codes = checked_pairs(3, [0, 1, 1], [0, 0], [1, 2])
    >>> second.tolist(), codes.tolist()
    ([1, 2], [0, 1, 1])
    """
    codes = np.asarray(codes, dtype=np.intp)
    first, second = np.asarray(first), np.asarray(second)
    if codes.shape != (n_objects,) or first.shape != second.shape or first.ndim != 1:
        raise InvalidInput(
            f"{n_objects} objects come with codes of shape {codes.shape} and pairs of shapes {first.shape} and {second.shape}.",
            advice="Each object needs one code, and each pair one object in each of the two arrays.",
            value=(codes.shape, first.shape, second.shape),
        )
    for ends in (first, second):
        if ends.size and not 0 <= ends.min() <= ends.max() < n_objects:
            wrong = int(np.flatnonzero((ends < 0) | (ends >= n_objects))[0])
            raise InvalidInput(
                f"Pair {wrong} contains {at('object', ends[wrong])}, but there are {n_objects} objects.",
                advice="Objects are numbered from 0 to the number of objects minus 1.",
                witness=wrong,
                value=int(ends[wrong]),
            )
    first, second = first.astype(np.int32, copy=False), second.astype(np.int32, copy=False)
    same = np.flatnonzero(codes[first] == codes[second])
    if len(same):
        pair = int(first[same[0]]), int(second[same[0]])
        raise InvalidInput(
            f"Objects {pair[0]} and {pair[1]} are a pair, but both have class {codes[pair[0]]}.",
            advice="Only objects of different classes are in conflict; leave the other pairs out.",
            witness=pair,
            value=int(codes[pair[0]]),
        )
    return first, second, codes


def classes_of_pairs(codes: Indices, first: Ends, second: Ends) -> Indices:
    """Return the class codes that occur in pairs, sorted.

    Examples
    --------
    >>> classes_of_pairs(np.array([4, 7, 9]), np.array([0]), np.array([1]))
    array([4, 7])
    """
    occurs = np.zeros(len(codes), dtype=bool)
    occurs[first] = occurs[second] = True
    return np.unique(codes[occurs])


def relax(lists: Lists) -> Floats:
    """Compute an optimal solution of the linear program with values in {0, 1/2, 1}.

    The value of a vertex is half the number of its two roles that are in a minimum cover of the double cover.

    Parameters
    ----------
    lists : tuple of ndarray
        Adjacency lists from `link`.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> relax(link(3, np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)))  # a triangle
    array([0.5, 0.5, 0.5])
    """
    both_roles = np.ones(len(lists[0]) - 1, dtype=bool)
    _, left, right = maximum_matching(*lists, both_roles)
    return (0.5 * ~left + 0.5 * right).astype(np.float64)


def round_up(values: Floats, codes: Indices, lists: Lists) -> Flags:
    """Round the solution of the linear program to a cover.

    It contains the vertices of value 1, and those of value 1/2 except the largest class in each of their connected components. A
    class can stay out because no two of its objects are in conflict; the largest has at least 1/k of the component.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The solution from `relax`.
    codes : ndarray of shape (n,)
        Class codes.
    lists : tuple of ndarray
        Adjacency lists from `link`.

    Returns
    -------
    ndarray of bool of shape (n,)
        The cover.

    Examples
    --------
    >>> lists = link(3, np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32))  # a triangle
    >>> round_up(np.array([0.5, 0.5, 0.5]), np.array([0, 1, 2]), lists)
    array([False,  True,  True])
    """
    cover: Flags = values == 1
    half = np.flatnonzero(values == 0.5)
    if len(half):
        graph = csr_array((np.ones(len(lists[1]), dtype=np.int8), lists[1], lists[0]), shape=(len(codes), len(codes)))
        _, component = connected_components(graph[half][:, half], directed=False)
        classes = int(codes.max()) + 1
        counts = np.bincount(component * classes + codes[half], minlength=(component.max() + 1) * classes)
        spared = counts.reshape(-1, classes).argmax(axis=1)
        cover[half] = codes[half] != spared[component]
    return cover


def drop_redundant(cover: Flags, lists: Lists) -> int:
    """Remove vertices whose neighbours are all in the cover from it, in place, those with few neighbours first.

    Returns the number of vertices removed.

    Examples
    --------
    >>> cover, lists = np.array([True, True]), link(2, np.array([0], np.int32), np.array([1], np.int32))
    >>> drop_redundant(cover, lists), cover
    (1, array([False,  True]))
    """
    inside = np.flatnonzero(cover)
    degrees = np.diff(lists[0])[inside]
    return int(drop_redundant_in_order(*lists, inside[np.argsort(degrees, kind="stable")], cover))


def _bipartite_cover(lists: Lists, is_left: Flags) -> Solution:
    """Compute a minimum cover of a bipartite graph by Koenig's theorem.

    It consists of the left vertices that no alternating path from a free left vertex reaches, and the right vertices that one
    reaches.
    """
    partner, left, right = maximum_matching(*lists, is_left)
    size = float((partner >= 0).sum())
    return Solution((is_left & ~left) | right, size, size, "optimal")


def _decide_halves(half: Indices, first: Any, second: Any, n_objects: int, max_time: float) -> Any:
    """Cover the pairs by as few as possible of the objects at ``half``, by an integer program.

    Returns the result of `scipy.optimize.milp` after at most ``max_time`` seconds.
    """
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
