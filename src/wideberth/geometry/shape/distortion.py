"""Distortion of an embedding: how much a map, or any change of a distance, deviates from an
isometry.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances
from wideberth.rounding import EIGENVALUE_ERROR

#: The local distortion at an object looks at this many nearest neighbours, and at those equally far
#: as the last one.
NEIGHBORS = 5

Pair = tuple[int, int]


@dataclass(frozen=True)
class Distortion:
    r"""How a map from a metric space (X, d) to another one with distances d' changes the distances,
    measured on a sample.

    The bi-Lipschitz constants are the best numbers with

    .. math:: \mathrm{lower}\; d(x, y) \le d'(x, y) \le \mathrm{upper}\; d(x, y).

    The *local distortion* at x is

    .. math:: \mu(x) = D_+(x) / D_-(x), \qquad D_\pm(x) = \limsup_{y \to x},\ \liminf_{y \to x}\
        d'(x, y) / d(x, y)

    (Hein, Bousquet & Schoelkopf 2005, Definition 1). A finite sample has no limits, so y runs
    through the nearest neighbours of x in the sample instead: 5 of them, and those equally far as
    the fifth. The value 1 everywhere means a local isometry up to a scale factor, which may differ
    from object to object.

    Attributes
    ----------
    lower, upper : float
        The bi-Lipschitz constants.
    lower_pair, upper_pair : tuple of int, or None
        Indices of the two objects that attain the constant; None if no two objects are apart.
    local : float
        The largest local distortion.
    local_object : int or None
        The index of the object that attains it.
    local_median : float
        The median local distortion.
    pairs : int
        The number of pairs that were compared.

    Examples
    --------
    >>> distances = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> distortion(distances, 3 * distances).total  # a scaling keeps all proportions
    1.0
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
        r"""The smallest :math:`\lambda` with :math:`d / \lambda \le d' \le \lambda d`.

        It is 1 for an isometry, and infinite if different objects get distance 0 (Hein, Bousquet &
        Schoelkopf 2005, section 2.1).
        """
        return max(self.upper, 1.0 / self.lower if self.lower else np.inf)

    @property
    def total(self) -> float:
        """The ratio ``upper / lower``: 1 if all distances keep their proportions, infinite if
        ``lower`` is 0.
        """
        return self.upper / self.lower if 0 < self.lower < np.inf else np.inf

    def at(self, indices: Sequence[int] | NDArray[Any]) -> Self:
        """Renumber the objects: object i of a part is object ``indices[i]`` of the whole sample.

        Examples
        --------
        >>> distances = np.array([[0.0, 1.0], [1.0, 0.0]])
        >>> distortion(distances, distances).at([4, 7]).upper_pair
        (4, 7)
        """

        def renumbered(pair: Pair | None) -> Pair | None:
            return None if pair is None else (int(indices[pair[0]]), int(indices[pair[1]]))

        where = None if self.local_object is None else int(indices[self.local_object])
        return replace(
            self,
            lower_pair=renumbered(self.lower_pair),
            upper_pair=renumbered(self.upper_pair),
            local_object=where,
        )


def distortion(distances: Distances, embedded: Distances) -> Distortion:
    """Compare two square matrices of distances between the same objects: before and after a map.

    A pair is left out if its distance is 0 in both matrices, up to rounding, or infinite before the
    map. A pair with distance 0 before and a positive distance after the map makes ``upper``
    infinite.

    All constants are 1 if no pair can be compared.

    Examples
    --------
    >>> line = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    >>> found = distortion(line, np.sqrt(line))
    >>> found.upper, found.upper_pair, round(found.lower, 4), found.lower_pair
    (1.0, (0, 1), 0.5774, (0, 2))
    """
    if (
        distances.ndim != 2
        or distances.shape[0] != distances.shape[1]
        or distances.shape != embedded.shape
    ):
        raise InvalidInput(
            f"Two square matrices of the same shape are needed, not shapes {distances.shape} and "
            f"{embedded.shape}.",
            advice="Measure the same objects before and after the map.",
            value=(distances.shape, embedded.shape),
        )
    ratios = _ratios(distances, embedded)
    above = np.triu(np.isfinite(distances) & ~np.isnan(ratios), 1)
    if not above.any():
        return Distortion(1.0, 1.0, None, None, 1.0, None, 1.0, 0)
    lower_pair = _extreme_pair(ratios, above, np.inf, np.argmin)
    upper_pair = _extreme_pair(ratios, above, -np.inf, np.argmax)
    local = _local_distortions(distances, ratios)
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
    """Compute d' / d for all pairs.

    The ratio is infinite where d is 0 and d' is not, and NaN where both are 0, or so small relative
    to the largest distance that they may be rounding errors.
    """
    after = np.where(_vanishes(embedded), 0.0, embedded)
    ratios = np.where(after > 0, np.inf, np.nan)
    np.divide(
        after, distances, out=ratios, where=(distances > 0) & ((after > 0) | ~_vanishes(distances))
    )
    return ratios


def _vanishes(distances: Distances) -> Flags:
    """Flag the distances that may be rounding errors of 0, relative to the largest finite
    distance.
    """
    return np.asarray(
        distances <= EIGENVALUE_ERROR * distances.max(initial=0.0, where=np.isfinite(distances))
    )


def _extreme_pair(ratios: Distances, counted: Flags, fill: float, choose: Any) -> Pair:
    """Find the pair with the smallest or largest ratio.

    ``choose`` is argmin or argmax; ``fill`` replaces the ratios of pairs that are not ``counted``.
    """
    row, column = np.unravel_index(choose(np.where(counted, ratios, fill)), ratios.shape)
    return int(row), int(column)


def _local_distortions(distances: Distances, ratios: Distances) -> Distances:
    """Compute for each object the largest over the smallest ratio among its nearest neighbours; NaN
    if it has no neighbours.
    """
    counted = np.isfinite(distances) & ~np.isnan(ratios) & ~np.eye(len(ratios), dtype=bool)
    gaps = np.where(counted, distances, np.inf)
    reach = np.partition(gaps, min(NEIGHBORS, len(gaps)) - 1, axis=1)[
        :, min(NEIGHBORS, len(gaps)) - 1
    ]
    near = counted & (gaps <= reach[:, None])
    largest = np.max(ratios, axis=1, initial=-np.inf, where=near)
    smallest = np.min(ratios, axis=1, initial=np.inf, where=near)
    spread = np.full(len(ratios), np.inf)
    np.divide(largest, smallest, out=spread, where=(smallest > 0) & np.isfinite(largest))
    return np.where(near.any(axis=1), spread, np.nan)
