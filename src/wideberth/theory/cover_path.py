"""Minimum vertex covers of a conflict graph that grows with a threshold, for all thresholds in one pass."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.margin_neighbors.cover_kernels import add_edges, count_links, empty_forest
from wideberth.classifiers.margin_neighbors.vertex_cover import checked_pairs, classes_of_pairs, vertex_cover
from wideberth.errors import InvalidInput
from wideberth.optimize.solution import Solution

Ends = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class MinimumCoverPath:
    """The value of the covering problem at every threshold: only pairs closer than the threshold count.

    Value ``values[i]`` holds for thresholds above ``jumps[i]``, up to and with ``jumps[i + 1]``; below that it is 0. With two
    classes it is the size of a minimum cover (``exact``), with more the value of the linear program, a lower bound of it.
    """

    jumps: Floats
    values: Floats
    exact: bool
    codes: Indices
    first: Ends
    second: Ends
    distances: Floats

    def value(self, threshold: Any) -> Any:
        """The value at one threshold or at an array of them.

        >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
        >>> path.value([5, 5.5, 7, 8]).tolist()
        [0.0, 1.0, 1.0, 2.0]
        """
        return np.concatenate([[0.0], self.values])[np.searchsorted(self.jumps, threshold, side="left")]

    def cover(self, threshold: float) -> Solution:
        """A cover of the pairs closer than ``threshold``, as `vertex_cover` finds it."""
        below = int(np.searchsorted(self.distances, threshold, side="left"))
        return vertex_cover(len(self.codes), self.codes, self.first[:below], self.second[:below])


def cover_path(n_objects: int, codes: Any, first: Any, second: Any, distances: Any) -> MinimumCoverPath:
    """Solve the covering problem of `vertex_cover` at all thresholds: add the pairs by increasing distance to a maximum matching.

    Koenig: the minimum covers of a bipartite graph are as large as its maximum matchings, so the value jumps where a pair lets
    the matching grow. With more than two classes the same is done on the double cover, and half the matching is the value of the
    linear program.

    >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
    >>> path.jumps, path.values
    (array([5., 7.]), array([1., 2.]))
    >>> path.cover(6.5).point
    array([ True, False, False, False])
    """
    first, second, codes = checked_pairs(n_objects, codes, first, second)
    first, second, distances = sort_pairs(first, second, np.asarray(distances, dtype=np.float64))
    classes = classes_of_pairs(codes, first, second)
    exact = len(classes) <= 2
    is_left = codes == classes[0] if len(classes) == 2 else np.ones(n_objects, dtype=bool)
    if exact:
        swapped = ~is_left[first]
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    grew = np.empty(n_objects, dtype=np.int64)
    gained = add_edges(empty_forest(count_links(n_objects, first, second), is_left), first, second, not exact, grew)
    jumps, last = np.unique(distances[grew[:gained]][::-1], return_index=True)
    values = (gained - last).astype(np.float64) * (1.0 if exact else 0.5)
    return MinimumCoverPath(jumps, values, exact, codes, first, second, distances)


def sort_pairs(first: Ends, second: Ends, distances: Floats) -> tuple[Ends, Ends, Floats]:
    """The pairs by increasing distance, as they are if they are sorted already."""
    if distances.shape != first.shape or np.isnan(distances).any():
        raise InvalidInput(
            f"{len(first)} pairs come with distances of shape {distances.shape}, {int(np.isnan(distances).sum())} of them NaN.",
            advice="Each pair needs its distance.",
            value=distances.shape,
        )
    if np.all(distances[1:] >= distances[:-1]):
        return first, second, distances
    order = np.argsort(distances, kind="stable")
    return first[order], second[order], distances[order]
