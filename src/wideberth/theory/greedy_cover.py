"""Vertex covers without the edges: from a greedy matching, and from questions about one object at a time."""

from collections.abc import Callable

import numpy as np

from wideberth.arrays import Flags, Indices
from wideberth.classifiers.margin_neighbors.matching import Matching
from wideberth.optimize.solution import Solution

#: Objects asked for at a time at most: many if all answers are of use, fewer if one answer may spare the next question.
MOST_ASKED, MOST_CANDIDATES = 10_000, 256
#: The conflicts of the objects asked for: those of the i-th one are ``indices[starts[i] : starts[i + 1]]``.
Conflicts = Callable[[Indices], tuple[Indices, Indices]]


def greedy_cover(matching: Matching, threshold: float, conflicts: Conflicts | None = None, *, at_once: int = 10**6) -> Solution:
    """Both ends of the matched pairs closer than ``threshold``: at most twice the minimum cover, which needs one end of each.

    With ``conflicts``, a function that lists the objects of other classes closer than the threshold, objects whose conflicts are
    all in the cover then leave it, those matched last first: they have few conflicts. Lists of about ``at_once`` conflicts are
    asked for at a time, and none is kept.

    >>> from wideberth.classifiers.margin_neighbors.matching import greedy_matching
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
        last_first = np.stack([matching.first[:pairs][::-1], matching.second[:pairs][::-1]], axis=1).ravel()
        _drop(cover, last_first, _Asking(conflicts, at_once, matching.n_objects))
        status += ", redundant objects dropped"
    size = float(cover.sum())
    return Solution(cover, size, float(pairs), "optimal" if size == pairs else status)


def _drop(cover: Flags, order: Indices, asking: "_Asking") -> None:
    """Drop redundant objects in this order. Whoever conflicts with an object outside the cover is needed in it.

    So only the objects that are outside in the end, and few others, are asked for.
    """
    needed = np.zeros(len(cover), dtype=bool)
    outside = np.flatnonzero(~cover)
    while len(outside):
        asked, _, found = asking.first_of(outside, MOST_ASKED)
        needed[found] = True
        outside = outside[len(asked) :]
    while len(order := order[~needed[order]]):
        asked, starts, found = asking.first_of(order, MOST_CANDIDATES)
        for position, each in enumerate(asked):
            if not needed[each]:
                cover[each] = False
                needed[found[starts[position] : starts[position + 1]]] = True
        order = order[len(asked) :]


class _Asking:
    """Ask for as many objects at a time as have about ``at_once`` conflicts, judged by those asked before."""

    def __init__(self, conflicts: Conflicts, at_once: int, most_each: int) -> None:
        self.conflicts = conflicts
        self.at_once = at_once
        self.each = float(most_each)

    def first_of(self, waiting: Indices, most: int) -> tuple[Indices, Indices, Indices]:
        """Some of the first objects that wait, at most so many, and their conflicts."""
        asked = waiting[: min(most, max(1, int(self.at_once / self.each)))]
        starts, found = self.conflicts(asked)
        self.each = max(1.0, 4 * len(found) / len(asked), self.each / 4)  # the next ones may well have more
        return asked, starts, found
