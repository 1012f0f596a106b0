r"""How low the leads of an SVM can get near objects: bounds of kernel expansions, by distances and
by the Hilbert space.

All kernels fall with the distance, also with the jump at 0 that a shift makes. So after a move, by
which the distance to each reference stays in an interval,

.. math:: \sum_i \gamma_i^+ k(\text{far}_i) + \gamma_i^- k(\text{near}_i) + b \;\le\; f(x') \;\le\;
    \sum_i \gamma_i^+ k(\text{near}_i) + \gamma_i^- k(\text{far}_i) + b .

That needs the triangle inequality alone, and holds for repaired kernels and for landmarks: their
functions are expansions in the kernel too (`wideberth.classifiers.hilbert_svm.solving`). With the
kernel "distance", :math:`k = -t^2 / 2` and :math:`\sum_i \gamma_i = 0`, the lower bound is
:math:`f(x) - r \sum_i |\gamma_i| d_i` as long as :math:`r \le d_i` where :math:`\gamma_i < 0`.

Where the kernel is promised to be valid, :math:`|f(x') - f(x)| \le \|w\| F(r)` holds as well, and
the closer bound counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import (
    HilbertFunction,
    certified_radii,
    lead_of_votes,
    scores_of_votes,
)
from wideberth.estimators.radius_rules import NearbyDistances
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, shortened

#: Bytes of distances that are bounded together, few enough to stay in the cache of a core with all
#: that is computed from them.
_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class PairFunctions:
    """The functions of all pairs of classes, and what may be proved about them.

    Attributes
    ----------
    function : HilbertFunction
        The kernel expansions.
    n_classes : int
        k.
    norms : ndarray of shape (k (k - 1) / 2,) or None
        The norms of the functions in the Hilbert space of the kernel; None if there is none, or it
        is not promised.
    local : bool
        Whether the triangle inequality is promised, so that distances bound the functions.
    """

    function: HilbertFunction
    n_classes: int
    norms: Floats | None
    local: bool

    def leads(self, objects: Any, errors: DistanceErrors) -> "Iterator[tuple[slice, VoteLeads]]":
        """Blocks of objects, with the bounds of their leads; each distance is measured once.

        Parameters
        ----------
        objects : prepared sample
            n objects.
        errors : DistanceErrors
            Those of their distances to the references.

        Yields
        ------
        part : slice
            Consecutive objects; the blocks cover all of them.
        leads : VoteLeads
            What bounds their leads.
        """
        function, n = self.function, sample.count(objects)
        blocks = (
            function.distance_blocks(objects, _AT_ONCE)
            if function.coefficients.shape[1]
            else [(slice(0, n), np.empty((n, 0)))]
        )
        for part, distances in blocks:
            own = DistanceErrors(errors.relative, errors.absolute[part])
            nearby = NearbyDistances(
                function.metric, sample.pick(objects, part), function.references, distances, own
            )
            yield part, VoteLeads(self, nearby)


@dataclass(frozen=True, eq=False)
class VoteLeads:
    """The leads of objects by the votes of pairs; it satisfies
    `wideberth.estimators.radius_rules.LeadsNearby`.

    Attributes
    ----------
    pairs : PairFunctions
        The functions of the pairs.
    nearby : NearbyDistances
        The distances of n objects to the references.
    """

    pairs: PairFunctions
    nearby: NearbyDistances

    @cached_property
    def kernel(self) -> Floats:
        """The kernel between the objects and the references."""
        return self.pairs.function.kernel.values(self.nearby.distances)

    @cached_property
    def values(self) -> Floats:
        """The values of the functions, shape (n, k (k - 1) / 2)."""
        return self.pairs.function.values_at(self.kernel)

    @cached_property
    def scores(self) -> Floats:
        """The scores of the classes, shape (n, k)."""
        return scores_of_votes(self.values, self.pairs.n_classes)

    @cached_property
    def hilbert_radii(self) -> Floats:
        """The radii in the metric that the kernel induces, if it is promised; see
        `certified_radii`.
        """
        return certified_radii(
            self.values, np.asarray(self.pairs.norms), self._move_errors, self.pairs.n_classes
        )

    @cached_property
    def radii(self) -> Floats:
        """The same in the metric; 0 without a promise."""
        if self.pairs.norms is None:
            return np.zeros(len(self.scores))
        errors = self.nearby.errors
        return shortened(
            self.pairs.function.kernel.inverse(self.hilbert_radii),
            4.0 * errors.absolute,
            4.0 * errors.relative,
        )

    @property
    def guesses(self) -> Floats:
        """How far values of this size could go if the kernel were as steep everywhere as at its
        steepest, or as here.
        """
        function = self.pairs.function
        slopes = function.sizes / (function.kernel.width or 1.0)
        if function.kernel.width is None:
            slopes = (abs(function.coefficients) @ self.nearby.distances.T).T
        reach = np.divide(
            np.abs(self.values), slopes, out=np.zeros_like(self.values), where=slopes > 0
        )
        return reach.mean(axis=1) if reach.shape[1] else np.zeros(len(reach))

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """See `wideberth.estimators.radius_rules.LeadsNearby.lowest`."""
        shape = len(rows), self.values.shape[1]
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # bounds that are infinite or undefined prove nothing
            if self.pairs.local:
                low, high = self._by_distances(radii, rows, unit)
            if self.pairs.norms is not None and unit is None:
                values, change = self.values[rows], self._change_in_hilbert_space(radii, rows)
                low, high = np.fmax(low, values - change), np.fmin(high, values + change)
        return lead_of_votes(low, high, self.scores[rows].argmax(axis=1), self.pairs.n_classes)

    def _by_distances(
        self, radii: Floats, rows: Indices, unit: str | None
    ) -> tuple[Floats, Floats]:
        """The bounds of all functions by where distances can be, with the errors of both ends."""
        function = self.pairs.function
        nearest, farthest = self.nearby.after(radii, rows, unit)
        near, far = (
            function.by_sign @ function.kernel.values(ends, out=ends).T
            for ends in (nearest, farthest)
        )
        raised, lowered = slice(0, len(function.intercepts)), slice(len(function.intercepts), None)
        low = function.intercepts + (far[raised] + near[lowered]).T
        high = function.intercepts + (near[raised] + far[lowered]).T
        sizes = np.abs(function.intercepts) + (far[lowered] - far[raised]).T  # no kernel is above 0
        slack = 2.0 * RADIUS_ERROR * sizes
        return low - slack, high + slack

    def _change_in_hilbert_space(self, radii: Floats, rows: Indices) -> Floats:
        """By how much the values can change within a radius, and rounding at both ends."""
        errors, norms = self.nearby.errors, np.asarray(self.pairs.norms)
        moved = np.minimum(
            (1.0 + 8.0 * errors.relative) * radii + 8.0 * errors.absolute[rows],
            np.finfo(np.float64).max,
        )
        induced = (1.0 + 8.0 * RADIUS_ERROR) * self.pairs.function.kernel.metric(moved)[:, None]
        change: Floats = np.multiply(
            norms, induced, out=np.zeros((len(rows), len(norms))), where=norms > 0
        )
        change += self._move_errors[rows]
        return change

    @cached_property
    def _move_errors(self) -> Floats:
        return self.pairs.function.move_errors(
            self.kernel, self.values, np.asarray(self.pairs.norms), self.nearby.errors
        )
