"""How far an embedding, or any change of a distance, is from an isometry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances
from wideberth.rounding import EIGENVALUE_ERROR

#: Neighbours of an object, at least if there are so many, that stand for "near" in the local distortion.
NEIGHBORS = 5

Pair = tuple[int, int]


@dataclass(frozen=True)
class Distortion:
    r"""What a map from a metric space (X, d) to another one with distances d' does to the distances, on the objects examined.

    ``lower`` and ``upper`` are its bi-Lipschitz constants, the best numbers with

    .. math:: \mathrm{lower}\; d(x, y) \le d'(x, y) \le \mathrm{upper}\; d(x, y),

    reached at ``lower_pair`` and ``upper_pair`` (None if no two objects are apart). The *local distortion* at x is

    .. math:: \mu(x) = D_+(x) / D_-(x), \qquad D_\pm(x) = \limsup_{y \to x},\ \liminf_{y \to x}\ d'(x, y) / d(x, y)

    (Hein, Bousquet & Schoelkopf 2005, Definition 1). A sample has no limits: here y runs through the nearest neighbours of x
    among the objects examined, 5 and those equally far. ``local`` is the largest of these at any object, ``local_object`` where
    it is, ``local_median`` the median. 1 everywhere is a local isometry, whatever the scale at each object.

    ``pairs`` says on how many pairs of different places all this was measured.
    """

    lower: float
    upper: float
    lower_pair: Pair | None
    upper_pair: Pair | None
    local: float
    local_object: int | None
    local_median: float
    pairs: int

    @property
    def bilipschitz(self) -> float:
        r"""The \lambda with :math:`d / \lambda \le d' \le \lambda d`: 1 for an isometry, infinite if objects fall together.

        (Hein, Bousquet & Schoelkopf 2005, section 2.1.)
        """
        return max(self.upper, 1.0 / self.lower if self.lower else np.inf)

    @property
    def total(self) -> float:
        """upper / lower: how far distances move against each other; 1 if all keep their proportions."""
        return self.upper / self.lower if 0 < self.lower < np.inf else np.inf

    def at(self, indices: Sequence[int] | NDArray[Any]) -> Self:
        """The same facts, the objects renumbered: object i of a part is object ``indices[i]`` of the whole."""

        def moved(pair: Pair | None) -> Pair | None:
            return None if pair is None else (int(indices[pair[0]]), int(indices[pair[1]]))

        where = None if self.local_object is None else int(indices[self.local_object])
        return replace(self, lower_pair=moved(self.lower_pair), upper_pair=moved(self.upper_pair), local_object=where)


def distortion(distances: Distances, embedded: Distances) -> Distortion:
    """Compare two square matrices of distances between the same objects: before a map, and after it.

    Pairs that are at 0 in both, up to rounding, or infinitely far apart before, do not count. A pair that the map tears apart, 0
    before and not after, makes ``upper`` infinite.

    >>> line = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    >>> found = distortion(line, np.sqrt(line))
    >>> found.upper, found.upper_pair, round(found.lower, 4), found.lower_pair
    (1.0, (0, 1), 0.5774, (0, 2))
    """
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or distances.shape != embedded.shape:
        raise InvalidInput(
            f"Two square matrices of one shape are compared, not shapes {distances.shape} and {embedded.shape}.",
            advice="Measure the same objects before and after the map.",
            value=(distances.shape, embedded.shape),
        )
    ratios = _ratios(distances, embedded)
    above = np.triu(np.isfinite(distances) & ~np.isnan(ratios), 1)
    if not above.any():
        return Distortion(1.0, 1.0, None, None, 1.0, None, 1.0, 0)
    lower_pair, upper_pair = _extreme(ratios, above, np.inf, np.argmin), _extreme(ratios, above, -np.inf, np.argmax)
    local = _local(distances, ratios)
    return Distortion(
        lower=float(ratios[lower_pair]),
        upper=float(ratios[upper_pair]),
        lower_pair=lower_pair,
        upper_pair=upper_pair,
        local=float(np.nanmax(local)),
        local_object=int(np.nanargmax(local)),
        local_median=float(np.nanmedian(local)),
        pairs=int(above.sum()),
    )


def _ratios(distances: Distances, embedded: Distances) -> Distances:
    """d' / d, not a number where both are 0 or so small beside the others that rounding may have made them."""
    after = np.where(_vanishes(embedded), 0.0, embedded)
    ratios = np.where(after > 0, np.inf, np.nan)
    np.divide(after, distances, out=ratios, where=(distances > 0) & ((after > 0) | ~_vanishes(distances)))
    return ratios


def _vanishes(distances: Distances) -> Flags:
    return np.asarray(distances <= EIGENVALUE_ERROR * distances.max(initial=0.0, where=np.isfinite(distances)))


def _extreme(ratios: Distances, counted: Flags, nothing: float, choose: Any) -> Pair:
    row, column = np.unravel_index(choose(np.where(counted, ratios, nothing)), ratios.shape)
    return int(row), int(column)


def _local(distances: Distances, ratios: Distances) -> Distances:
    """The largest over the smallest ratio among the nearest neighbours of each object; not a number where it has none."""
    counted = np.isfinite(distances) & ~np.isnan(ratios) & ~np.eye(len(ratios), dtype=bool)
    gaps = np.where(counted, distances, np.inf)
    reach = np.partition(gaps, min(NEIGHBORS, len(gaps)) - 1, axis=1)[:, min(NEIGHBORS, len(gaps)) - 1]
    near = counted & (gaps <= reach[:, None])
    largest = np.max(ratios, axis=1, initial=-np.inf, where=near)
    smallest = np.min(ratios, axis=1, initial=np.inf, where=near)
    spread = np.full(len(ratios), np.inf)
    np.divide(largest, smallest, out=spread, where=(smallest > 0) & np.isfinite(largest))
    return np.where(near.any(axis=1), spread, np.nan)
