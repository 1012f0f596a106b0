r"""How low the leads of an LP machine can get near objects: bounds of sums of radial functions, term by term.

After a move the distance to a reference is in an interval, on which a radial function, being monotone, is between its values at
the ends. So :math:`\sum_i \beta_i g(t_i)` is at least :math:`\sum_i \beta_i^+ \min g + \beta_i^- \max g`: two products of
matrices for all functions and objects. The lead of one class over another is itself such a sum, with the differences of the
coefficients, which is bounded more closely than the two functions are.

No move costs more here than by the Lipschitz constants: on an interval that ends r away from d no term changes by more than
:math:`|\beta_i| \mathrm{Lip}(g)\, r`. Several radial functions on one reference are bounded each by itself, since their sum is
not monotone: :math:`2 e^{-t^2} - 1.6 e^{-t^2 / 4}` has its minimum inside of [0.5, 3.5].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.function import RadialFunction, class_scores
from wideberth.estimators.radius_rules import NearbyDistances
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, radii_of_leads

#: Bytes for each distance of a block: its interval, and two values of each radial function, one at a time.
_BYTES_EACH = 96
#: Distances that are bounded together: few enough to stay in the cache of one core.
_AT_ONCE = 2**18


@dataclass(frozen=True, eq=False)
class ClassFunctions:
    """The score of each class as a sum of radial functions.

    Attributes
    ----------
    function : RadialFunction
        The functions that were learned, their radial functions and references.
    n_classes : int
        k.

    Examples
    --------
    >>> from wideberth.estimators.radial_functions import Radial
    >>> from wideberth.metrics.named import metric
    >>> learned = np.array([[[2.0]]]), np.array([-1.0])
    >>> line = RadialFunction(np.array([[0.0]]), metric("euclidean"), (Radial("distance"),), *learned, 10**6, 1)
    >>> ClassFunctions(line, 2).coefficients.ravel()  # their difference is the function
    array([-1.,  1.])
    """

    function: RadialFunction
    n_classes: int

    @cached_property
    def coefficients(self) -> Floats:
        """Those of the scores, shape (k, radials, m)."""
        learned = self.function.coefficients
        if self.n_classes == 1:
            return np.zeros((1, *learned.shape[1:]))
        return np.stack([class_scores(learned[:, place].T, self.n_classes).T for place in range(learned.shape[1])], axis=1)

    @cached_property
    def intercepts(self) -> Floats:
        """Those of the scores, shape (k,)."""
        return class_scores(self.function.intercepts[None, :], self.n_classes).ravel()

    @cached_property
    def slopes(self) -> Floats:
        """A bound of the Lipschitz constant of each score, shape (k,)."""
        steepest: Floats = np.abs(self.coefficients).sum(axis=(1, 2))
        return steepest


@dataclass(frozen=True, eq=False)
class RadialLeads:
    """The leads of objects by sums of radial functions; it satisfies `wideberth.estimators.radius_rules.LeadsNearby`.

    Attributes
    ----------
    functions : ClassFunctions
        The scores of the classes.
    nearby : NearbyDistances
        The distances of n objects to the references.
    """

    functions: ClassFunctions
    nearby: NearbyDistances

    @cached_property
    def scores(self) -> Floats:
        """The scores of these objects, shape (n, k)."""
        return class_scores(self.functions.function.values_at(self.nearby.distances), self.functions.n_classes)

    @cached_property
    def radii(self) -> Floats:
        """Their radii by the Lipschitz constants, shape (n,)."""
        sizes = class_scores(self.functions.function.sizes_at(self.nearby.distances), self.functions.n_classes)
        slopes = self.functions.slopes
        errors = self.nearby.errors if slopes.any() else DistanceErrors.of(len(sizes), 0.0)
        return radii_of_leads(self.scores, np.abs(sizes), slopes, errors)

    @property
    def guesses(self) -> Floats:
        """The radii themselves."""
        return self.radii

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """See `wideberth.estimators.radius_rules.LeadsNearby.lowest`."""
        winners = self.scores[rows].argmax(axis=1)
        found = np.full(len(rows), np.inf)
        with np.errstate(over="ignore", invalid="ignore"):  # bounds that are infinite or undefined prove nothing
            least, most = self._column_bounds(radii, rows, unit)
            sizes = _products(most, np.abs(self.functions.coefficients))
            sizes += np.where(self.functions.slopes > 0, np.abs(self.functions.intercepts), 0.0)  # constants are exact
            for winner in np.unique(winners):
                own = np.flatnonzero(winners == winner)
                rivals = np.flatnonzero(np.arange(self.functions.n_classes) != winner)
                leads = self._lowest_of(winner, rivals, [column[own] for column in least], [column[own] for column in most])
                leads -= 2.0 * RADIUS_ERROR * (sizes[own, winner][:, None] + sizes[own][:, rivals])
                found[own] = leads.min(axis=1, initial=np.inf)
        return found

    def _column_bounds(self, radii: Floats, rows: Indices, unit: str | None) -> tuple[list[Floats], list[Floats]]:
        """The least and the greatest value of each radial function at each reference, each list of shape (radials, r, m)."""
        low, high = self.nearby.after(radii, rows, unit)
        radials = self.functions.function.radials
        ends = [(radial.scaled(low), radial.scaled(high)) for radial in radials]
        falls = [radial.is_decreasing for radial in radials]
        least = [end[1] if fall else end[0] for end, fall in zip(ends, falls, strict=True)]
        most = [end[0] if fall else end[1] for end, fall in zip(ends, falls, strict=True)]
        return least, most

    def _lowest_of(self, winner: int, rivals: Indices, least: list[Floats], most: list[Floats]) -> Floats:
        """How low the lead of one class over each rival gets, shape (r, rivals), by exact arithmetic."""
        functions = self.functions
        differences = functions.coefficients[winner] - functions.coefficients[rivals]
        leads = functions.intercepts[winner] - functions.intercepts[rivals]
        lowest: Floats = _products(least, np.maximum(differences, 0.0)) + _products(most, np.minimum(differences, 0.0)) + leads
        return lowest


def radial_leads(functions: ClassFunctions, objects: Any, errors: DistanceErrors) -> Iterator[tuple[slice, RadialLeads]]:
    """Blocks of objects, with the bounds of their leads; each distance is measured once.

    Parameters
    ----------
    functions : ClassFunctions
        The scores of the classes.
    objects : prepared sample
        n objects.
    errors : DistanceErrors
        Those of their distances to the references.

    Yields
    ------
    part : slice
        Consecutive objects, at least one block; the blocks cover all of them.
    leads : RadialLeads
        What bounds their leads.
    """
    function = functions.function
    rows = max(1, _AT_ONCE // max(1, function.coefficients.shape[2]))
    for block, distances in function.distance_blocks(objects, bytes_each=_BYTES_EACH):
        for first in range(0, max(len(distances), 1), rows):
            band = distances[first : first + rows]
            part = slice(block.start + first, block.start + first + len(band))
            own = DistanceErrors(errors.relative, errors.absolute[part])
            nearby = NearbyDistances(function.metric, sample.pick(objects, part), function.references, band, own)
            yield part, RadialLeads(functions, nearby)


def _products(columns: list[Floats], coefficients: Floats) -> Floats:
    """The sums of columns times coefficients over radial functions and references, shape (r, functions)."""
    total = np.zeros((len(columns[0]), len(coefficients)))
    for place, column in enumerate(columns):
        total += column @ coefficients[:, place].T
    return total
