"""Minimum vertex covers at all thresholds at once: the conflict graph grows with the threshold,
pair by pair.

At threshold t the conflicts are the pairs of objects of different classes that are closer than t,
and a cover is a set of objects to remove so that no conflict is left (Kontorovich & Weiss 2014,
section 4).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.margin_neighbors.cover_kernels import (
    add_edges,
    count_links,
    empty_forest,
)
from wideberth.classifiers.margin_neighbors.vertex_cover import (
    checked_pairs,
    classes_of_pairs,
    vertex_cover,
)
from wideberth.errors import InvalidInput
from wideberth.optimize.solution import Solution

Ends = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class MinimumCoverPath:
    """The size of a minimum cover, or a lower bound of it, as a step function of the threshold.

    Attributes
    ----------
    jumps : ndarray of shape (m,)
        The distances at which the value grows, increasing.
    values : ndarray of shape (m,)
        ``values[i]`` holds for thresholds above ``jumps[i]``, up to and including ``jumps[i + 1]``.
        Up to ``jumps[0]`` it is 0.
    exact : bool
        True with at most two classes: the values are sizes of minimum covers. Otherwise they are
        values of the linear program, which no cover can be smaller than.
    codes : ndarray of shape (n,)
        The class of each object.
    first, second, distances : ndarrays of shape (p,)
        The pairs and their distances, by increasing distance.
    """

    jumps: Floats
    values: Floats
    exact: bool
    codes: Indices
    first: Ends
    second: Ends
    distances: Floats

    def value(self, threshold: Any) -> Any:
        """The value at one threshold, or at an array of them.

        Parameters
        ----------
        threshold : float or array-like
            A pair at exactly this distance is no conflict.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
        >>> path.value([5, 5.5, 7, 8]).tolist()
        [0.0, 1.0, 1.0, 2.0]
        """
        return np.concatenate([[0.0], self.values])[
            np.searchsorted(self.jumps, threshold, side="left")
        ]

    def cover(self, threshold: float) -> Solution:
        """A cover of the pairs closer than ``threshold``, computed anew by `vertex_cover`.

        Parameters
        ----------
        threshold : float

        Returns
        -------
        Solution
            ``point`` is a boolean mask of the objects to remove.

        Examples
        --------
        >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
        >>> path.cover(6.5).point  # object 0 takes part in both pairs that are closer
        array([ True, False, False, False])
        """
        below = int(np.searchsorted(self.distances, threshold, side="left"))
        return vertex_cover(len(self.codes), self.codes, self.first[:below], self.second[:below])


def cover_path(
    n_objects: int, codes: Any, first: Any, second: Any, distances: Any
) -> MinimumCoverPath:
    """The size of a minimum vertex cover at every threshold, or a lower bound of it.

    A minimum cover of a bipartite graph is as large as a maximum matching (Koenig 1931). So the
    pairs are added by increasing distance, and the value grows by one where a pair lets the
    matching grow. With more than two classes the same is done on the double cover of the graph (see
    `vertex_cover`); half the matching is the value of the linear program.

    Parameters
    ----------
    n_objects : int
    codes : array-like of int, shape (n_objects,)
        The class of each object.
    first, second : array-like of int, shape (p,)
        The two objects of each pair, of different classes.
    distances : array-like of float, shape (p,)
        How far they are apart, in any order.

    Returns
    -------
    MinimumCoverPath

    Raises
    ------
    wideberth.errors.InvalidInput
        If shapes do not fit, an object does not exist, a pair has one class only, or a distance is
        NaN.

    Examples
    --------
    >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
    >>> path.jumps, path.values
    (array([5., 7.]), array([1., 2.]))
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
    gained = add_edges(
        empty_forest(count_links(n_objects, first, second), is_left), first, second, not exact, grew
    )
    jumps, last = np.unique(distances[grew[:gained]][::-1], return_index=True)
    values = (gained - last).astype(np.float64) * (1.0 if exact else 0.5)
    return MinimumCoverPath(jumps, values, exact, codes, first, second, distances)


def sort_pairs(first: Ends, second: Ends, distances: Floats) -> tuple[Ends, Ends, Floats]:
    """Sort pairs by increasing distance; pairs that are sorted already are returned without a copy.

    Examples
    --------
    >>> ends, distances = np.array([[4, 5], [6, 7]], dtype=np.int32), np.array([2.0, 1.0])
    >>> [part.tolist() for part in sort_pairs(*ends, distances)]
    [[5, 4], [7, 6], [1.0, 2.0]]
    """
    if distances.shape != first.shape or np.isnan(distances).any():
        raise InvalidInput(
            f"{len(first)} pairs come with distances of shape {distances.shape}, "
            f"{int(np.isnan(distances).sum())} of them NaN.",
            advice="Each pair needs its distance.",
            value=distances.shape,
        )
    if np.all(distances[1:] >= distances[:-1]):
        return first, second, distances
    order = np.argsort(distances, kind="stable")
    return first[order], second[order], distances[order]
