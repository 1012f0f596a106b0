"""Vertex covers of a conflict graph whose edges do not fit into memory: from a greedy matching and
neighbour searches.

The conflicts of an object are searched for when they are needed and forgotten afterwards.
"""

from collections.abc import Callable

import numpy as np

from wideberth.array_types import Flags, Indices
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.optimize.solution import Solution

#: Objects in one search at most: many where all conflicts are needed, fewer where one result can
#: make the next search needless.
MOST_SEARCHED, MOST_CANDIDATES = 10_000, 256
#: From positions of objects to (starts, indices): the conflicts of the i-th one are
#: ``indices[starts[i] : starts[i + 1]]``.
Conflicts = Callable[[Indices], tuple[Indices, Indices]]


def greedy_cover(
    matching: Matching,
    threshold: float,
    conflicts: Conflicts | None = None,
    *,
    at_once: int = 10**6,
) -> Solution:
    """A vertex cover from a greedy matching: both ends of every matched pair closer than
    ``threshold``.

    The matching is maximal, so this covers all conflicts; every cover has at least one end of each
    matched pair, so it is at most twice as large as a minimum cover (Gavril). If ``conflicts`` is
    given, redundant objects are then dropped: those whose conflicts are all in the cover, beginning
    with the pairs matched last, because these have the fewest conflicts.

    Parameters
    ----------
    matching : Matching
        Of `wideberth.classifiers.margin_neighbors.vertex_cover.greedy_matching`, complete up to
        ``threshold``.
    threshold : float
        Objects of different classes closer than this are in conflict.
    conflicts : callable, optional
        ``conflicts(indices)`` returns ``(starts, found)``: the objects in conflict with
        ``indices[i]`` are ``found[starts[i] : starts[i + 1]]``.
    at_once : int
        About how many conflicts a call of ``conflicts`` may return; a bound for the memory.

    Returns
    -------
    Solution
        ``point`` is a boolean mask of the cover, ``value`` its size, ``lower_bound`` the number of
        matched pairs.

    Examples
    --------
    >>> from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
    >>> matching = greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"])
    >>> found = greedy_cover(matching, 3.0)
    >>> found.point, found.value, found.lower_bound
    (array([ True,  True, False, False]), 2.0, 1.0)
    """
    pairs = matching.at(threshold)
    cover = np.zeros(matching.n_objects, dtype=bool)
    cover[matching.first[:pairs]] = cover[matching.second[:pairs]] = True
    status = "both ends of a greedy matching"
    if conflicts is not None:
        last_first = np.stack(
            [matching.first[:pairs][::-1], matching.second[:pairs][::-1]], axis=1
        ).ravel()
        _drop_redundant(cover, last_first, _BatchedSearch(conflicts, at_once, matching.n_objects))
        status += ", redundant objects dropped"
    size = float(cover.sum())
    return Solution(cover, size, float(pairs), "optimal" if size == pairs else status)


def _drop_redundant(cover: Flags, order: Indices, search: "_BatchedSearch") -> None:
    """Remove redundant objects from ``cover``, in place, tried in this order.

    An object is needed iff it conflicts with an object outside the cover. So only the conflicts of
    the objects that are outside in the end, and of few others, are searched.
    """
    needed = np.zeros(len(cover), dtype=bool)
    outside = np.flatnonzero(~cover)
    while len(outside):
        searched, _, found = search.first_of(outside, MOST_SEARCHED)
        needed[found] = True
        outside = outside[len(searched) :]
    while len(order := order[~needed[order]]):
        searched, starts, found = search.first_of(order, MOST_CANDIDATES)
        for position, candidate in enumerate(searched):
            if not needed[candidate]:
                cover[candidate] = False
                needed[found[starts[position] : starts[position + 1]]] = True
        order = order[len(searched) :]


class _BatchedSearch:
    """Search the conflicts of as many objects at a time as have about ``at_once`` of them, judged
    by the searches before.

    Parameters
    ----------
    conflicts : callable
        The search, as for `greedy_cover`.
    at_once : int
        About how many conflicts one search may return.
    most_conflicts : int
        How many conflicts an object can have at most: the first guess, which makes the first batch
        small.
    """

    def __init__(self, conflicts: Conflicts, at_once: int, most_conflicts: int) -> None:
        self.conflicts = conflicts
        self.at_once = at_once
        self.per_object = float(most_conflicts)

    def first_of(self, waiting: Indices, most: int) -> tuple[Indices, Indices, Indices]:
        """Search the conflicts of the first objects of ``waiting``, at most ``most``: these
        objects, starts, conflicts.
        """
        searched = waiting[: min(most, max(1, int(self.at_once / self.per_object)))]
        starts, found = self.conflicts(searched)
        # the next objects may have more conflicts than these, and the estimate may fall only slowly
        self.per_object = max(1.0, 4 * len(found) / len(searched), self.per_object / 4)
        return searched, starts, found
